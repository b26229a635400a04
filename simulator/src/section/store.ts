// Reads and writes sections generically, without knowledge of any particular one.
import { isDeepStrictEqual } from "node:util";
import type { SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import type { Section } from "./definition.ts";
import { group, isValues } from "./field.ts";
import { findSection, forEachStoredSection, storedSectionOf } from "./sections.ts";
import { beginTrial, confirmTrial, confirmWithinS } from "./trial.ts";

const maxComplaints = 50;
const maxSentence = 200;
const restartAfterMs = 1000;
const restartMs = 10_000;

export const rpcErrorCodes = {
  invalid: -32602,
  unknown: -32601,
  busy: -32001,
  otherRev: -32002,
  lacking: -32004,
} as const;

export class RefusedError extends Error {
  readonly code: number;
  readonly data: SectionValues | undefined;
  constructor(code: number, message: string, data?: SectionValues) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const busy = () => new RefusedError(rpcErrorCodes.busy, "The sensor is busy.");

function requireSection(sensor: Sensor, name: string): Section {
  const section = findSection(sensor, name);
  if (section === null) throw new RefusedError(rpcErrorCodes.unknown, `There is no section ${name.slice(0, 40)}.`);
  return section;
}

const shown = (section: Section, values: SectionValues, sensor: Sensor): SectionValues =>
  section.show?.(values, sensor) ?? values;

export function getConfig(sensor: Sensor, name: string): SectionValues {
  const section = requireSection(sensor, name);
  const { rev, values, running } = storedSectionOf(sensor, name);
  const { trial, lastTrial } = sensor.sections;
  return {
    rev,
    values: withoutSecrets(shown(section, values, sensor), section.secrets ?? []),
    ...(section.info ? { info: section.info(sensor) } : {}),
    ...(running && differs(section.restart, running, values) ? { restartNeeded: true } : {}),
    ...(trial?.section === name ? { pending: { rev: trial.rev, until: trial.until } } : {}),
    ...(lastTrial?.section === name
      ? { lastChange: { rev: lastTrial.rev, outcome: lastTrial.outcome, at: lastTrial.at } }
      : {}),
  };
}

function withoutSecrets(value: SectionValues, secrets: readonly string[]): SectionValues {
  const open = (part: unknown): unknown =>
    Array.isArray(part) ? part.map(open) : isValues(part) ? withoutSecrets(part, secrets) : part;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) =>
      secrets.includes(key) ? [`${key}Set`, part !== null] : [key, open(part)],
    ),
  );
}

const differs = (keys: readonly string[] = [], one: SectionValues, other: SectionValues): boolean =>
  keys.some((key) => !isDeepStrictEqual(one[key], other[key]));

/** Stores all values or none. */
export function setConfig(sensor: Sensor, name: string, sent: unknown, rev: number): SectionValues {
  const section = requireSection(sensor, name);
  if (sensor.sections.trial !== null) throw busy();
  const held = storedSectionOf(sensor, name);
  if (rev !== held.rev) throw new RefusedError(rpcErrorCodes.otherRev, "The configuration has another revision.");
  const before = shown(section, held.values, sensor);
  const values = check(sensor, section, sent, before);
  const lacking = section.lacks?.(values, sensor) ?? null;
  if (lacking !== null) throw new RefusedError(rpcErrorCodes.lacking, lacking);

  const running = held.running ?? held.values;
  const needsRestart = differs(section.restart, before, values) && differs(section.restart, running, values);
  const next = { rev: held.rev + 1, values: section.keep?.(values, sensor) ?? values };
  sensor.sections.held[name] = differs(section.restart, running, values) ? { ...next, running } : next;
  const isRisky = differs(section.confirm, before, values);
  if (isRisky) beginTrial(sensor, name, held.values);
  else sensor.configured();
  sensor.env.persist(sensor);
  if (isRisky) return { rev: next.rev, applied: "confirm", confirmWithinS };
  return { rev: next.rev, applied: needsRestart ? "restart" : "now" };
}

function check(sensor: Sensor, section: Section, sent: unknown, before: SectionValues): SectionValues {
  const fields: { path: string; message: string }[] = [];
  const complain = (path: string, message: string): void => {
    if (fields.length < maxComplaints) fields.push({ path, message: message.slice(0, maxSentence) });
  };
  if (!isValues(sent)) complain("", "The values are missing.");
  else {
    const values = group(section.fields)(sent, { path: "", complain, beside: {}, before }) as SectionValues;
    const of = (other: string): SectionValues => storedSectionOf(sensor, other).values;
    if (fields.length === 0) section.rules?.(values, { sensor, complain, before, sent, of });
    if (fields.length === 0) return values;
  }
  throw new RefusedError(rpcErrorCodes.invalid, "The values are not valid.", { fields });
}

/** Confirms the trial. Idempotent, because the first response may have been lost. */
export function confirmConfig(sensor: Sensor, rev: number): SectionValues {
  const { trial, lastTrial } = sensor.sections;
  if (trial === null) {
    if (lastTrial?.rev === rev && lastTrial.outcome === "confirmed") return { rev };
    throw new RefusedError(rpcErrorCodes.otherRev, "There is nothing to confirm.");
  }
  if (trial.rev !== rev) throw new RefusedError(rpcErrorCodes.otherRev, "Another revision is to be confirmed.");
  // Before the change is applied, reachability proves nothing.
  if (!trial.isApplied) throw busy();
  confirmTrial(sensor, trial);
  return { rev };
}

/** Responds, then restarts. */
export function restartDevice(sensor: Sensor): SectionValues {
  if (sensor.sections.trial !== null) throw busy();
  const { net } = sensor.env;
  net.at(net.now() + restartAfterMs, () => {
    if (sensor.running && !sensor.stopped) void sensor.restart("user", restartMs);
  });
  return { backInS: restartMs / 1000 };
}

export function applyPendingValues(sensor: Sensor): void {
  forEachStoredSection(sensor, (held) => delete held.running);
}
