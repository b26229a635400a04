// SQL conditions for sensors in contact, for the lists of sensors and of locations.
import type { LastContactFilter } from "@psp/contract/sensor/presence.ts";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Condition } from "../db/list.ts";

/** The oldest last contact that still counts as connected, for sensors that do not report their state. */
export function computeContactCutoff(now: Date, timeoutHours: number): Date {
  return new Date(now.getTime() - timeoutHours * 3_600_000);
}

export function computeCurrentContactCutoff({ clock, config }: Pick<Context, "clock" | "config">): Date {
  return computeContactCutoff(clock.date(), config.connectionTimeoutHours);
}

/** Connected now, or last contact within the timeout; false if never connected. */
export function isInContact(since: Date, alias = "sensor"): Condition {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`(${column("is_connected")} or coalesce(${column("last_contact_at")} > ${since}, false))`;
}

const hourMs = 3_600_000;
const spans = { "24h": 24 * hourMs, "7d": 7 * 24 * hourMs } as const;

/** The last contact from which on a sensor is out of contact for at least this span. */
export function computeSilenceCutoff(now: Date, span: keyof typeof spans): Date {
  return new Date(now.getTime() - spans[span]);
}

/** SQL condition: never in contact, or out of contact for at least the span that `word` names. */
export function isOutOfContact(word: LastContactFilter, now: Date): Condition {
  if (word === "never") return sql<boolean>`sensor.never_connected`;
  return sql<boolean>`sensor.silent_since <= ${computeSilenceCutoff(now, word)}`;
}
