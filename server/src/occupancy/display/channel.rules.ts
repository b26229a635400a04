// The last message to the displays of a location, and its serialized form.
import type { OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import type { Shown } from "../ledger/ledger.rules.ts";

export type Sent = { shown: Pick<Shown, "count" | "max" | "state">; atMs: number };

export function isSameState(a: Sent["shown"], b: Sent["shown"]): boolean {
  return a.count === b.count && a.max === b.max && a.state === b.state;
}

export function toDisplayFrame(op: OccupancyMessage["op"], { shown, atMs }: Sent, seq: number): string {
  const { count, max, state } = shown;
  const obj = { count, maxObjects: max, state, at: new Date(atMs).toISOString() };
  const message: OccupancyMessage = { type: "occupancy", op, obj, seq };
  return JSON.stringify(message);
}
