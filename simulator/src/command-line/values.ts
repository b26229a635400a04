// Parsers for option values and for files named by options. Error messages either complete a sentence that begins with
// the option and its value, or are full sentences.
import { isZone } from "@psp/contract/kit/zone.ts";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { countIntervalSeconds } from "@psp/contract/device/device-messages.ts";
import { siteKinds } from "../counting/tally.ts";
import type { TypeMix } from "../device/identity.ts";
import { parseFaults } from "../faults/scripts.ts";
import type { Member } from "../fleet/fleet.ts";
import type { Broker } from "../link/link.ts";
import { UsageError } from "./usage.ts";

/** A schema that parses text; `wrong` is the message if `parse` returns null. */
function meaning<T>(parse: (text: string) => T | null, wrong: string) {
  return z.string().transform((text, ctx) => {
    const value = parse(text);
    if (value !== null) return value;
    ctx.addIssue({ code: "custom", message: wrong });
    return z.NEVER;
  });
}

function oneOf<const T extends readonly string[]>(values: T, what: string) {
  return z.enum(values, {
    error: ({ input }) => `Unknown ${what} "${String(input)}". Choose one of ${values.join(", ")}.`,
  });
}

export const mac = meaning(parseMac, "is not a sensor ID: twelve hex digits such as 02:00:00:00:00:01.");
export const sensorType = oneOf(sensorTypes, "sensor type");
export const siteKind = oneOf(siteKinds, "kind of site");
export const timeZone = z.string().refine(isZone, { error: ({ input }) => `Unknown time zone "${String(input)}".` });

export function wholeNumber(from: number, to: number, wrong = `is not a whole number from ${from} to ${to}.`) {
  const isFit = (value: number): boolean => Number.isInteger(value) && value >= from && value <= to;
  return meaning((text) => (isFit(Number(text)) ? Number(text) : null), wrong);
}

export const positive = meaning((text) => {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : null;
}, "is not a number above 0.");

export const countInterval = meaning(
  (text) => countIntervalSeconds.find((length) => length === Number(text)) ?? null,
  `--interval must be one of ${countIntervalSeconds.join(", ")} seconds.`,
);

/** A time such as 14d or 36h, in milliseconds. */
export const span = meaning((text) => {
  const [, number, unit] = /^(\d{1,5})(d|h)$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * (unit === "d" ? 86_400_000 : 3_600_000);
}, "is not a time such as 14d or 36h.");

export const pastInstant = meaning(
  (text) => (Number.isNaN(Date.parse(text)) ? null : Date.parse(text)),
  "is not a time such as 2026-01-31T08:00:00Z.",
).refine((at) => at <= Date.now(), { error: "is in the future." });

export const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), { error: "is not an HTTP address." });

export const brokerUrl = meaning((text): Broker | null => {
  const url = URL.parse(text);
  if (!url || !/^mqtts?:$/.test(url.protocol) || !url.hostname) return null;
  const tls = url.protocol === "mqtts:";
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || (tls ? 8883 : 1883), tls };
}, "is not of the form mqtt://host:port.");

export const restPassword = z
  .string()
  .refine(({ length }) => length >= 1 && length <= 200, { error: "A REST password has 1 to 200 characters." });

const weight = wholeNumber(1, 1000, "has a weight that is not a whole number from 1 to 1000.");

/** `APS:7,PS.C1:2,ZOD:1`; the default weight is 1. */
export const typeMix = z.string().transform((text, ctx): TypeMix =>
  text.split(",").map((part) => {
    const [name, share = "1"] = part.trim().split(":");
    const parsed = z.object({ type: sensorType, weight }).safeParse({ type: name, weight: share });
    if (parsed.success) return parsed.data;
    ctx.addIssue({ code: "custom", message: parsed.error.issues[0]?.message ?? "" });
    return z.NEVER;
  }),
);

export const faults = z.string().transform((text, ctx) => {
  try {
    return parseFaults(text);
  } catch (error) {
    ctx.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});

const member = z.object({
  id: mac,
  type: sensorType,
  password: z.string().min(1),
  fw: z.string().optional(),
  rest: restPassword.optional(),
  zone: timeZone.optional(),
  country: z.string().optional(),
  until: z.int().optional(),
  kind: siteKind.optional(),
  faults: faults.optional(),
  coach: z.object({ vehicle: z.string().min(1).max(32), sequence: z.int().min(1).max(20) }).optional(),
}) satisfies z.ZodType<Member>;
const credentials = z.union([
  z.array(member).transform((sensors) => ({ fwKey: null, sensors })),
  z.object({ fwKey: z.string().nullish(), sensors: z.array(member) }),
]);

/** The sensors of a file (at least one), and the public key that verifies their firmware. */
export function readCredentials(path: string): { fwKey: string | null; members: Member[] } {
  const parsed = credentials.safeParse(jsonFile(path));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(
      `${path} is not a list of {id,type,password}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
    );
  }
  const { fwKey, sensors } = parsed.data;
  if (!sensors.length) throw new UsageError(`${path} names no sensor.`);
  return { fwKey: fwKey ?? null, members: sensors };
}

function jsonFile(path: string): unknown {
  const text = readTextFile(path);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON.`);
  }
}

export function readTextFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Can't read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
