// The sections of a sensor as its methods read and write them; no section is known here by its name.
import { isDeepStrictEqual } from "node:util";
import type { Values } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import type { Section } from "./definition.ts";
import { group, isValues } from "./field.ts";
import { findSection, forEachHeld, heldOf } from "./sections.ts";
import { beginTrial, confirmTrial, confirmWithinS } from "./trial.ts";

const maxComplaints = 50;
const maxSentence = 200;
const restartAfterMs = 1000;
const restartMs = 10_000;

export const codes = { invalid: -32602, unknown: -32601, busy: -32001, otherRev: -32002, lacking: -32004 } as const;

/** What the sensor answers instead of a result. */
export class RefusedError extends Error {
  readonly code: number;
  readonly data: Values | undefined;
  constructor(code: number, message: string, data?: Values) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const busy = () => new RefusedError(codes.busy, "The sensor is busy.");

function requireSection(sensor: Sensor, name: string): Section {
  const section = findSection(sensor, name);
  if (section === null) throw new RefusedError(codes.unknown, `There is no section ${name.slice(0, 40)}.`);
  return section;
}

const shown = (section: Section, values: Values, sensor: Sensor): Values => section.show?.(values, sensor) ?? values;

export function getConfig(sensor: Sensor, name: string): Values {
  const section = requireSection(sensor, name);
  const { rev, values, running } = heldOf(sensor, name);
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

/** The values with a flag in the place of every secret. */
function withoutSecrets(value: Values, secrets: readonly string[]): Values {
  const open = (part: unknown): unknown =>
    Array.isArray(part) ? part.map(open) : isValues(part) ? withoutSecrets(part, secrets) : part;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) =>
      secrets.includes(key) ? [`${key}Set`, part !== null] : [key, open(part)],
    ),
  );
}

const differs = (keys: readonly string[] = [], one: Values, other: Values): boolean =>
  keys.some((key) => !isDeepStrictEqual(one[key], other[key]));

/** Takes all values or none. */
export function setConfig(sensor: Sensor, name: string, sent: unknown, rev: number): Values {
  const section = requireSection(sensor, name);
  if (sensor.sections.trial !== null) throw busy();
  const held = heldOf(sensor, name);
  if (rev !== held.rev) throw new RefusedError(codes.otherRev, "The configuration has another revision.");
  const before = shown(section, held.values, sensor);
  const values = check(sensor, section, sent, before);
  const lacking = section.lacks?.(values, sensor) ?? null;
  if (lacking !== null) throw new RefusedError(codes.lacking, lacking);

  const running = held.running ?? held.values;
  const needsRestart = differs(section.restart, before, values) && differs(section.restart, running, values);
  const next = { rev: held.rev + 1, values: section.keep?.(values, sensor) ?? values };
  sensor.sections.held[name] = differs(section.restart, running, values) ? { ...next, running } : next;
  const isRisky = differs(section.confirm, before, values);
  if (isRisky) beginTrial(sensor, name, held.values);
  else sensor.configured();
  sensor.around.keep(sensor);
  if (isRisky) return { rev: next.rev, applied: "confirm", confirmWithinS };
  return { rev: next.rev, applied: needsRestart ? "restart" : "now" };
}

/** What is kept of the values sent; refuses them with everything that is wrong with them. */
function check(sensor: Sensor, section: Section, sent: unknown, before: Values): Values {
  const fields: { path: string; message: string }[] = [];
  const complain = (path: string, message: string): void => {
    if (fields.length < maxComplaints) fields.push({ path, message: message.slice(0, maxSentence) });
  };
  if (!isValues(sent)) complain("", "The values are missing.");
  else {
    const values = group(section.fields)(sent, { path: "", complain, beside: {}, before }) as Values;
    const of = (other: string): Values => heldOf(sensor, other).values;
    if (fields.length === 0) section.rules?.(values, { sensor, complain, before, sent, of });
    if (fields.length === 0) return values;
  }
  throw new RefusedError(codes.invalid, "The values are not valid.", { fields });
}

/** Keeps the change on trial. Asked again it says the same, for the first answer may have been lost. */
export function confirmConfig(sensor: Sensor, rev: number): Values {
  const { trial, lastTrial } = sensor.sections;
  if (trial === null) {
    if (lastTrial?.rev === rev && lastTrial.outcome === "confirmed") return { rev };
    throw new RefusedError(codes.otherRev, "There is nothing to confirm.");
  }
  if (trial.rev !== rev) throw new RefusedError(codes.otherRev, "Another revision is to be confirmed.");
  // Before the change it proves nothing that the sensor can be reached.
  if (!trial.isApplied) throw busy();
  confirmTrial(sensor, trial);
  return { rev };
}

/** Answers, and goes down a moment later. */
export function restartDevice(sensor: Sensor): Values {
  if (sensor.sections.trial !== null) throw busy();
  const { net } = sensor.around;
  net.at(net.now() + restartAfterMs, () => {
    if (sensor.running && !sensor.stopped) void sensor.restart("user", restartMs);
  });
  return { backInS: restartMs / 1000 };
}

/** Booted: what was held for the next boot runs now. */
export function takeEffect(sensor: Sensor): void {
  forEachHeld(sensor, (held) => delete held.running);
}
