// The last message to the displays of a location, and its serialized form.
import type { OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import type { DisplayState } from "../ledger/ledger.rules.ts";

export type SentMessage = { shown: Pick<DisplayState, "count" | "max" | "state">; atMs: number };

export function isSameState(a: SentMessage["shown"], b: SentMessage["shown"]): boolean {
  return a.count === b.count && a.max === b.max && a.state === b.state;
}

export function toDisplayFrame(op: OccupancyMessage["op"], { shown, atMs }: SentMessage, seq: number): string {
  const { count, max, state } = shown;
  const obj = { count, maxObjects: max, state, at: new Date(atMs).toISOString() };
  const message: OccupancyMessage = { type: "occupancy", op, obj, seq };
  return JSON.stringify(message);
}
