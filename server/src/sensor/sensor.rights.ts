// SQL of which sensors a viewer may see, and of which of them are in contact: lists of sensors and of locations ask it alike.
import type { LastContact } from "@psp/contract/sensor/presence.ts";
import { viewSet } from "@psp/contract/permission/can.ts";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import type { Condition } from "../db/list.ts";
import { ownerIn } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";

/** Rows of the table, or of an alias of it, whose owners the caller views. */
export function visibleSensors(caller: Caller, alias = "sensor"): Condition {
  return ownerIn(viewSet(caller, "sensor"), caller, { id: `${alias}.owner_id`, path: `${alias}.owner_path` });
}

/** The latest moment at which one that says nothing any more may have been heard to count as connected. */
export function contactSince(now: Date, timeoutHours: number): Date {
  return new Date(now.getTime() - timeoutHours * 3_600_000);
}

/** The same by the installation's own timeout, as of now. */
export function contactSinceNow({ clock, config }: Pick<Context, "clock" | "config">): Date {
  return contactSince(clock.date(), config.connectionTimeoutHours);
}

/** Connected now, or heard within the timeout; one that never connected is neither. */
export function inContact(since: Date, alias = "sensor"): Condition {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql<boolean>`(${column("is_connected")} or coalesce(${column("last_contact_at")} > ${since}, false))`;
}

const hourMs = 3_600_000;
const spans = { "24h": 24 * hourMs, "7d": 7 * 24 * hourMs } as const;

/** Out of contact for longer than that, or never in contact; `now` is when it is asked. */
export function outOfContact(word: LastContact, now: Date): Condition {
  if (word === "never") return sql<boolean>`sensor.never_connected`;
  return sql<boolean>`sensor.silent_since <= ${new Date(now.getTime() - spans[word])}`;
}
