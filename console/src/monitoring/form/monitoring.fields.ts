// Parses, validates and converts the fields of the monitoring form (MO-01).
import { emailPattern, maxEmailLength } from "@psp/contract/account/email.ts";
import {
  maxOtherRecipients,
  monitoringDefaults,
  monitoringMessages,
  type MonitoringService,
  monitoringServices,
  type WeekDay,
  weekDays,
} from "@psp/contract/monitoring/limits.ts";
import { validateThresholds, type MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";
import { monitoringText as text } from "../monitoring.text.ts";

export type ThresholdName = keyof typeof text.figures;
type Unit = keyof typeof text.units;

/** Thresholds of each service with their units, in the order of the form. */
export const serviceThresholds: Record<MonitoringService, readonly (readonly [ThresholdName, Unit])[]> = {
  connection: [
    ["warningThreshold", "days"],
    ["errorThreshold", "days"],
  ],
  dataplaus: [
    ["warningThreshold", "days"],
    ["errorThreshold", "days"],
    ["filterWindowInWeeks", "weeks"],
  ],
  uptime: [
    ["warningAverageTime", "hours"],
    ["warningRepeatingTime", "days"],
    ["errorAverageTime", "hours"],
    ["errorRepeatingTime", "days"],
  ],
  osd: [
    ["warningThreshold", "days"],
    ["errorThreshold", "days"],
  ],
  reboot: [
    ["warningThreshold", "events"],
    ["errorThreshold", "events"],
  ],
  watchdog: [
    ["warningThreshold", "events"],
    ["errorThreshold", "events"],
  ],
};

export type ServiceFields = { enabled: boolean; figures: Partial<Record<ThresholdName, string>> };

export type MonitoringFields = {
  /** Whether the location or sensor has its own configuration. */
  monitoring: boolean;
  alerts: { onWarning: boolean; onError: boolean; toOwner: boolean };
  toOther: string[];
  weekDays: Record<WeekDay, boolean>;
} & Record<MonitoringService, ServiceFields>;
export type MonitoringFieldName = keyof MonitoringFields;

export const labelOf = (name: MonitoringFieldName): string =>
  name in text.services
    ? text.services[name as MonitoringService]
    : text[name as Exclude<MonitoringFieldName, MonitoringService>];

type Facts = Readonly<Record<string, unknown>>;
const isFacts = (value: unknown): value is Facts => typeof value === "object" && value !== null;
const partOf = (value: unknown, name: string): Facts => {
  const part = isFacts(value) ? value[name] : undefined;
  return isFacts(part) ? part : {};
};
const flagOf = (facts: Facts, name: string, otherwise: boolean) => {
  const value = facts[name];
  return typeof value === "boolean" ? value : otherwise;
};

/** Replaces missing values by defaults. */
export function toMonitoringFields(config: unknown, monitoring: boolean): MonitoringFields {
  const email = partOf(partOf(config, "alert"), "email");
  const days = partOf(config, "activeWeekDays");
  const given = monitoringDefaults.alert.email;
  const others = email["toOther"];
  const service = (name: MonitoringService): ServiceFields => {
    const stored = partOf(config, name);
    const otherwise: Facts = monitoringDefaults[name];
    const figures = serviceThresholds[name].map(([figure]) => {
      const value = Object.hasOwn(stored, figure) ? stored[figure] : otherwise[figure];
      return [figure, typeof value === "number" ? String(value) : ""];
    });
    return {
      enabled: flagOf(stored, "enabled", true),
      figures: Object.fromEntries(figures) as ServiceFields["figures"],
    };
  };
  return {
    monitoring,
    alerts: {
      onWarning: flagOf(email, "onWarning", given.onWarning),
      onError: flagOf(email, "onError", given.onError),
      toOwner: flagOf(email, "toOwner", given.toOwner),
    },
    toOther: Array.isArray(others) ? others.filter((one) => typeof one === "string") : [],
    weekDays: Object.fromEntries(weekDays.map((day) => [day, flagOf(days, day, true)])) as MonitoringFields["weekDays"],
    ...(Object.fromEntries(monitoringServices.map((name) => [name, service(name)])) as Record<
      MonitoringService,
      ServiceFields
    >),
  };
}

/** Null if empty, NaN if not a number. */
const numberIn = (typed: string | undefined) => (typed === undefined || typed.trim() === "" ? null : Number(typed));

/** Numbers of disabled services are not validated, so those too large to be stored become null. */
const kept = (value: number | null) => (value !== null && Math.abs(value) <= 1_000_000 ? value : null);

function configOf(values: MonitoringFields, isSent: boolean): MonitoringConfig {
  const serviceOf = (name: MonitoringService) => {
    const { enabled, figures } = values[name];
    const numbers = serviceThresholds[name].map(([figure]) => {
      const value = numberIn(figures[figure]);
      return [figure, isSent && !enabled ? kept(value) : value];
    });
    return { enabled, ...Object.fromEntries(numbers) } as MonitoringConfig[MonitoringService];
  };
  return {
    alert: { email: { ...values.alerts, toOther: [...values.toOther] } },
    activeWeekDays: values.weekDays,
    ...(Object.fromEntries(monitoringServices.map((name) => [name, serviceOf(name)])) as Pick<
      MonitoringConfig,
      MonitoringService
    >),
  };
}

/** Error messages by field name, such as "toOther" or "connection.warningThreshold", in the order of the form. */
export function validateFields(values: MonitoringFields): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const isEmail = (one: string) => one.length <= maxEmailLength && emailPattern.test(one);
  if (!values.toOther.every(isEmail)) found.set("toOther", monitoringMessages.emails);
  else if (values.toOther.length > maxOtherRecipients) found.set("toOther", monitoringMessages.tooMany);
  for (const { path, message } of validateThresholds(configOf(values, false))) found.set(path.join("."), message);
  return found;
}

export type RequestedStatus = "UNCHANGED" | "ENABLED" | "DISABLED";

/** Whether a save should switch monitoring on or off (docs/rules/monitoring.md#configuration). */
export function toRequestedStatus(current: Pick<MonitoringFields, "monitoring">, wanted: boolean): RequestedStatus {
  if (current.monitoring === wanted) return "UNCHANGED";
  return wanted ? "ENABLED" : "DISABLED";
}

export function toConfig(values: MonitoringFields, status: RequestedStatus, exists: boolean): MonitoringConfig | null {
  return status === "DISABLED" || (status === "UNCHANGED" && !exists) ? null : configOf(values, true);
}
