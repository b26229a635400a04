// The open displays of one location. All of them get the same message when the location's state changes.
import type { OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import { displayOffCloseCode } from "@psp/contract/occupancy/occupancy-defaults.ts";
import type { Context } from "../../context.ts";
import { type Board, filterFlows } from "../ledger/board.service.ts";
import { type Flow, type Ledger, type DisplayState, addFlows } from "../ledger/ledger.rules.ts";
import { saveShownStates, type ShownStateRow } from "../ledger/ledger.store.ts";
import { toDisplayFrame, isSameState, type SentMessage } from "./channel.rules.ts";

export type DisplayClient = {
  sent: number;
  send(frame: string): void;
  close(code: number, reason: string): void;
};

export type DisplayChannel = {
  locationId: string;
  clients: Set<DisplayClient>;
  waiting: Set<DisplayClient>;
  board: Board | null;
  ledger: Ledger | null;
  flows: Map<number, Flow>;
  sent: SentMessage | null;
  /** Whether the board could not be read and a retry is scheduled. */
  isUnsure: boolean;
};

export const createDisplayChannel = (locationId: string): DisplayChannel => ({
  locationId,
  clients: new Set(),
  waiting: new Set(),
  board: null,
  ledger: null,
  flows: new Map(),
  sent: null,
  isUnsure: false,
});

/** `isDeaf` returns whether no gateway receives sensor messages. */
export function createDisplaySender(ctx: Context, isOpen: (channel: DisplayChannel) => boolean, isDeaf: () => boolean) {
  let writing: Promise<void> = Promise.resolve();

  function show(channel: DisplayChannel): void {
    const { board, ledger, sent, clients, waiting } = channel;
    if (!isOpen(channel)) return;
    const shown: SentMessage["shown"] =
      board && ledger
        ? addFlows(isDeaf() ? { ...ledger, isBlind: true } : ledger, filterFlows(board, channel.flows.values())).shown
        : { count: sent?.shown.count ?? 0, max: sent?.shown.max ?? 0, state: "unknown" };
    const atMs = ctx.clock.now();
    if (sent === null || !isSameState(sent.shown, shown)) {
      channel.sent = { shown, atMs };
      if (sent?.shown.state !== shown.state) remember(channel.locationId, atMs, shown);
      for (const client of clients) if (!waiting.has(client)) say(client, "update", channel.sent);
    }
    greet(channel);
    if (ledger && !ledger.runs)
      for (const client of clients) client.close(displayOffCloseCode, "The app is turned off");
  }

  function say(client: DisplayClient, op: OccupancyMessage["op"], sent: SentMessage): void {
    client.send(toDisplayFrame(op, sent, (client.sent += 1)));
  }

  function greet({ sent, waiting }: DisplayChannel): void {
    if (sent === null || waiting.size === 0) return;
    for (const client of waiting) say(client, "create", sent);
    waiting.clear();
  }

  function remember(
    locationId: string,
    atMs: number,
    { state, count, max }: Pick<DisplayState, "state" | "count" | "max">,
  ) {
    const row: ShownStateRow = { locationId, atMs, state, count, max };
    writing = writing
      .then(() => saveShownStates(ctx.db, [row]))
      .catch((error: unknown) => ctx.log.warn({ err: error }, "what displays were sent was not kept"));
  }

  return {
    /** Sends the current state to displays that show something else or nothing. */
    show,
    written: () => writing,
  };
}
