// Monitoring configuration of a location or sensor: checks, thresholds and mail recipients
// (docs/rules/monitoring.md#configuration). Thresholds of a service are validated only while it is enabled.
import { z } from "zod";
import { errorCode } from "../errors.ts";
import { boundedNormalizedText } from "../kit/bounded-text.ts";
import { emailPattern, maxEmailLength } from "../account/email.ts";
import { maxOtherRecipients, monitoringMessages as faults, monitoringRanges as ranges, weekDays } from "./limits.ts";

/** Accepts any number, because a disabled service keeps its thresholds until it is enabled again. */
const figure = z.number().min(-1_000_000).max(1_000_000).nullable().optional();
const days = z.strictObject({ enabled: z.boolean(), warningThreshold: figure, errorThreshold: figure });

/** E-mail address of an additional recipient. An invalid one is error 204. */
const alertAddress = boundedNormalizedText(maxEmailLength).refine(
  (text) => text.length <= maxEmailLength && emailPattern.test(text),
  { error: faults.emails, params: { code: errorCode.invalidEmail } },
);

const configFields = z.strictObject({
  alert: z.strictObject({
    email: z.strictObject({
      onWarning: z.boolean(),
      onError: z.boolean(),
      toOwner: z.boolean(),
      toOther: z.array(alertAddress).max(maxOtherRecipients, faults.tooMany),
    }),
  }),
  activeWeekDays: z.strictObject(
    Object.fromEntries(weekDays.map((day) => [day, z.boolean()])) as Record<(typeof weekDays)[number], z.ZodBoolean>,
  ),
  connection: days,
  dataplaus: days.extend({ filterWindowInWeeks: figure }),
  uptime: z.strictObject({
    enabled: z.boolean(),
    warningAverageTime: figure,
    warningRepeatingTime: figure,
    errorAverageTime: figure,
    errorRepeatingTime: figure,
  }),
  osd: days,
  reboot: days,
  watchdog: days,
});
export type MonitoringConfig = z.output<typeof configFields>;

type Figure = number | null | undefined;
type Bound = { min: number; max: number };
export type ThresholdError = { path: readonly [string, string]; message: string };

const thresholdWords = { integer: faults.thresholdInteger, required: faults.thresholdRequired };
const plainWords = { integer: faults.integer, required: faults.required };

function faultOfFigure(
  value: Figure,
  { min, max }: Bound,
  words: typeof thresholdWords | typeof plainWords,
  outside: string,
) {
  if (value === null || value === undefined) return words.required;
  if (!Number.isInteger(value)) return words.integer;
  return value < min || value > max ? outside : null;
}

type Numbers = Record<string, unknown>;
const numberAt = (part: Numbers, key: string) => part[key] as Figure;

/** Validates the thresholds of all enabled services. Errors are grouped by service, uptime last. */
export function validateThresholds(config: Omit<MonitoringConfig, "alert" | "activeWeekDays">): ThresholdError[] {
  const found: ThresholdError[] = [];
  const check = (
    service: keyof typeof config,
    key: string,
    bound: Bound,
    words: typeof thresholdWords | typeof plainWords,
    outside: string = faults.range(bound),
  ) => {
    const message = faultOfFigure(numberAt(config[service], key), bound, words, outside);
    if (message !== null) found.push({ path: [service, key], message });
    return message === null;
  };
  const checkAbove = (service: keyof typeof config, warning: string, error: string, bothFine: boolean) => {
    const [low, high] = [numberAt(config[service], warning), numberAt(config[service], error)];
    if (bothFine && Number(high) <= Number(low)) found.push({ path: [service, error], message: faults.aboveWarning });
  };
  for (const service of ["connection", "dataplaus", "osd", "reboot", "watchdog"] as const) {
    if (!config[service].enabled) continue;
    const { warning, error } = ranges[service];
    const outside = service === "connection" || service === "dataplaus" ? faults.thresholdRange : undefined;
    const fine = [
      check(service, "warningThreshold", warning, thresholdWords, outside),
      check(service, "errorThreshold", error, thresholdWords),
    ];
    checkAbove(service, "warningThreshold", "errorThreshold", !fine.includes(false));
    if (service === "dataplaus") check(service, "filterWindowInWeeks", ranges.dataplaus.weeks, plainWords);
  }
  if (config.uptime.enabled) {
    const { hours, warning, error } = ranges.uptime;
    check("uptime", "warningAverageTime", hours, plainWords);
    check("uptime", "errorAverageTime", hours, plainWords);
    const fine = [
      check("uptime", "warningRepeatingTime", warning, plainWords),
      check("uptime", "errorRepeatingTime", error, plainWords),
    ];
    checkAbove("uptime", "warningRepeatingTime", "errorRepeatingTime", !fine.includes(false));
  }
  return found;
}

export const monitoringConfigSchema = configFields.superRefine((config, ctx) => {
  if (ctx.issues.length > 0) return;
  for (const { path, message } of validateThresholds(config)) {
    const missing = message === faults.required || message === faults.thresholdRequired;
    ctx.addIssue({
      code: "custom",
      path: [...path],
      message,
      params: { code: missing ? errorCode.missingArgument : errorCode.invalidArgument },
    });
  }
});
