// What the displays of one location were sent last, and the text that all of them get alike.
import type { OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import type { Shown } from "../ledger/ledger.rules.ts";

/** What displays got last. */
export type Sent = { shown: Pick<Shown, "count" | "max" | "state">; atMs: number };

export function isSame(a: Sent["shown"], b: Sent["shown"]): boolean {
  return a.count === b.count && a.max === b.max && a.state === b.state;
}

/** The message of the display's connection with this number. */
export function frameOf(op: OccupancyMessage["op"], { shown, atMs }: Sent, seq: number): string {
  const { count, max, state } = shown;
  const obj = { count, maxObjects: max, state, at: new Date(atMs).toISOString() };
  const message: OccupancyMessage = { type: "occupancy", op, obj, seq };
  return JSON.stringify(message);
}
