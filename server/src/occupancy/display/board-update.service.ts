// Brings the boards of open displays up to date with what changed: only what the change concerns is read again.
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import type { CountsStored } from "../../kit/bus.ts";
import {
  type Board,
  isMisplaced,
  isOtherwiseThere,
  ledgerOf,
  loadBoard,
  patchCounts,
  refreshCorrections,
  refreshSights,
  type StoredSpan,
} from "../ledger/board.service.ts";
import { findFlows, findSensorsById } from "../ledger/ledger.store.ts";
import type { Channel } from "./channel.live.ts";
import type { Hearing } from "./hearing.live.ts";

/** What is to be looked at again. */
export type Pending = {
  boards: Set<string>;
  corrections: Set<string>;
  /** Sensors that may be elsewhere, come or gone. */
  sensors: Set<string>;
  /** Sensors whose view or outages changed. */
  sights: Set<string>;
  counts: CountsStored[];
};
export const nothingPending = (): Pending => ({
  boards: new Set(),
  corrections: new Set(),
  sensors: new Set(),
  sights: new Set(),
  counts: [],
});
export const isPending = (pending: Pending): boolean =>
  Object.values(pending).some((some) => (Array.isArray(some) ? some.length : some.size) > 0);

const loadsAtOnce = 4;

/** `reload` has a whole board read with the next batch. */
export function createBoardUpdate(
  ctx: Context,
  channels: ReadonlyMap<string, Channel>,
  hearing: Pick<Hearing, "check" | "lastFlow">,
  reload: (locationId: string) => void,
) {
  const loading = pLimit(loadsAtOnce);
  const inParallel = (ids: Iterable<string>, each: (id: string) => Promise<void>) =>
    Promise.all([...ids].map((id) => loading(() => each(id))));

  /** Adds the channels whose board or ledger is another one now to `touched`, also when it fails half-way. */
  async function bringUpToDate(batch: Pending, touched: Set<Channel>): Promise<void> {
    const sights = new Set<string>();
    for (const { board, locationId } of channels.values())
      if (board && batch.sights.size > 0 && [...board.numbers.keys()].some((id) => batch.sights.has(id)))
        sights.add(locationId);
    if (batch.sensors.size > 0) {
      for (const row of await findSensorsById(ctx.db, [...batch.sensors])) {
        for (const { board, locationId } of channels.values()) {
          if (!board) continue;
          if (isMisplaced(board, row)) batch.boards.add(locationId);
          else if (isOtherwiseThere(board, row)) sights.add(locationId);
        }
      }
    }
    await inParallel(batch.boards, async (id) => {
      const channel = channels.get(id);
      if (!channel) return;
      await load(channel);
      touched.add(channel);
    });
    const boardOf = (id: string) => (batch.boards.has(id) ? null : (channels.get(id)?.board ?? null));
    await inParallel(sights, async (id) => {
      const board = boardOf(id);
      if (board) await refreshSights(ctx.db, board);
    });
    for (const id of batch.corrections) {
      const board = boardOf(id);
      if (board) await refreshCorrections(ctx.db, board);
    }
    const spans = spansOf(batch.counts, boardOf);
    if (spans.size > 0) await patchCounts(ctx.db, spans);
    const changed = [...sights, ...batch.corrections, ...batch.counts.map(({ locationId }) => locationId ?? "")];
    for (const id of new Set(changed)) {
      const channel = channels.get(id);
      if (!channel?.board || batch.boards.has(id)) continue;
      channel.ledger = ledgerOf(channel.board, ctx.clock.now());
      touched.add(channel);
    }
  }

  async function load(channel: Channel): Promise<void> {
    await hearing.check();
    const board = await loadBoard(ctx.db, channel.locationId, { atMs: ctx.clock.now(), isPresent: true });
    const flows = await findFlows(ctx.db, board.sensors.keys());
    channel.board = board;
    channel.ledger = ledgerOf(board);
    channel.flows = new Map(flows.map((flow) => [flow.num, flow]));
    for (const { num, id } of board.sensors.values()) {
      const live = hearing.lastFlow(id);
      if (live && live.receivedMs >= (channel.flows.get(num)?.receivedMs ?? 0))
        channel.flows.set(num, { num, ...live });
    }
    channel.isUnsure = false;
  }

  /** Stored counts on the boards that they concern; where a sensor is not known yet, the board is loaded again. */
  function spansOf(counts: readonly CountsStored[], boardOf: (id: string) => Board | null) {
    const spans = new Map<Board, StoredSpan[]>();
    for (const { locationId, sensorId, fromMs, toMs } of counts) {
      const board = locationId === null ? null : boardOf(locationId);
      if (!board) continue;
      const num = numOf(board, sensorId);
      if (num === null) reload(board.locationId);
      else spans.getOrInsertComputed(board, () => []).push({ num, fromMs, toMs });
    }
    return spans;
  }

  return bringUpToDate;
}

export function numOf(board: Board, sensorId: string): number | null {
  return board.numbers.get(sensorId) ?? null;
}
