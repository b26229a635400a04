// The open displays of one location, and what they are sent: all get the same message when what they show changes.
import type { OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import { displayOffCode } from "@psp/contract/occupancy/occupancy-defaults.ts";
import type { Context } from "../../context.ts";
import { type Board, flowsHere } from "../ledger/board.service.ts";
import { type Flow, type Ledger, type Shown, withFlows } from "../ledger/ledger.rules.ts";
import { saveShown, type ShownRow } from "../ledger/ledger.store.ts";
import { frameOf, isSame, type Sent } from "./channel.rules.ts";

export type DisplayClient = {
  /** How many messages it was sent. */
  sent: number;
  send(frame: string): void;
  close(code: number, reason: string): void;
};

export type Channel = {
  locationId: string;
  clients: Set<DisplayClient>;
  /** Those that were not sent anything yet. */
  waiting: Set<DisplayClient>;
  board: Board | null;
  ledger: Ledger | null;
  flows: Map<number, Flow>;
  sent: Sent | null;
  /** It could not be read, and is to be read again. */
  isUnsure: boolean;
};

export const createChannel = (locationId: string): Channel => ({
  locationId,
  clients: new Set(),
  waiting: new Set(),
  board: null,
  ledger: null,
  flows: new Map(),
  sent: null,
  isUnsure: false,
});

/** `isDeaf`: whether sensors are not heard. */
export function createScreens(ctx: Context, isOpen: (channel: Channel) => boolean, isDeaf: () => boolean) {
  let writing: Promise<void> = Promise.resolve();

  function show(channel: Channel): void {
    const { board, ledger, sent, clients, waiting } = channel;
    if (!isOpen(channel)) return;
    const shown: Sent["shown"] =
      board && ledger
        ? withFlows(isDeaf() ? { ...ledger, isBlind: true } : ledger, flowsHere(board, channel.flows.values())).shown
        : { count: sent?.shown.count ?? 0, max: sent?.shown.max ?? 0, state: "unknown" };
    const atMs = ctx.clock.now();
    if (sent === null || !isSame(sent.shown, shown)) {
      channel.sent = { shown, atMs };
      if (sent?.shown.state !== shown.state) remember(channel.locationId, atMs, shown);
      for (const client of clients) if (!waiting.has(client)) say(client, "update", channel.sent);
    }
    greet(channel);
    if (ledger && !ledger.runs) for (const client of clients) client.close(displayOffCode, "The app is switched off");
  }

  function say(client: DisplayClient, op: OccupancyMessage["op"], sent: Sent): void {
    client.send(frameOf(op, sent, (client.sent += 1)));
  }

  function greet({ sent, waiting }: Channel): void {
    if (sent === null || waiting.size === 0) return;
    for (const client of waiting) say(client, "create", sent);
    waiting.clear();
  }

  function remember(locationId: string, atMs: number, { state, count, max }: Pick<Shown, "state" | "count" | "max">) {
    const row: ShownRow = { locationId, atMs, state, count, max };
    writing = writing
      .then(() => saveShown(ctx.db, [row]))
      .catch((error: unknown) => ctx.log.warn({ err: error }, "what displays were sent was not kept"));
  }

  return {
    /** Sends what is known now to displays that show something else, or nothing yet. */
    show,
    /** Resolves when everything that was sent is on record. */
    written: () => writing,
  };
}
