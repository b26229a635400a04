// Updates the boards of open displays incrementally: reads only what changed.
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import type { CountsStored } from "../../kit/bus.ts";
import {
  type Board,
  hasMembershipChanged,
  hasPresenceChanged,
  toLedger,
  loadBoard,
  patchCounts,
  refreshCorrections,
  refreshSensorStates,
  type StoredSpan,
} from "../ledger/board.service.ts";
import { findFlows, findSensorsById } from "../ledger/ledger.store.ts";
import type { DisplayChannel } from "./channel.live.ts";
import type { FlowListener } from "./flow-listener.live.ts";

export type PendingChanges = {
  boards: Set<string>;
  corrections: Set<string>;
  /** Sensors that may have been moved, added or removed. */
  sensors: Set<string>;
  sights: Set<string>;
  counts: CountsStored[];
};
export const createPendingChanges = (): PendingChanges => ({
  boards: new Set(),
  corrections: new Set(),
  sensors: new Set(),
  sights: new Set(),
  counts: [],
});
export const hasPendingChanges = (pending: PendingChanges): boolean =>
  Object.values(pending).some((some) => (Array.isArray(some) ? some.length : some.size) > 0);

const loadsAtOnce = 4;

/** `reload` requests that the next batch load a location's whole board. */
export function createBoardUpdater(
  ctx: Context,
  channels: ReadonlyMap<string, DisplayChannel>,
  hearing: Pick<FlowListener, "check" | "lastFlow">,
  reload: (locationId: string) => void,
) {
  const loading = pLimit(loadsAtOnce);
  const inParallel = (ids: Iterable<string>, each: (id: string) => Promise<void>) =>
    Promise.all([...ids].map((id) => loading(() => each(id))));

  /** Updates the boards and adds changed channels to `touched`, including those changed before an error. */
  async function bringUpToDate(batch: PendingChanges, touched: Set<DisplayChannel>): Promise<void> {
    const sights = new Set<string>();
    for (const { board, locationId } of channels.values())
      if (board && batch.sights.size > 0 && [...board.numbers.keys()].some((id) => batch.sights.has(id)))
        sights.add(locationId);
    if (batch.sensors.size > 0) {
      for (const row of await findSensorsById(ctx.db, [...batch.sensors])) {
        for (const { board, locationId } of channels.values()) {
          if (!board) continue;
          if (hasMembershipChanged(board, row)) batch.boards.add(locationId);
          else if (hasPresenceChanged(board, row)) sights.add(locationId);
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
      if (board) await refreshSensorStates(ctx.db, board);
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
      channel.ledger = toLedger(channel.board, ctx.clock.now());
      touched.add(channel);
    }
  }

  async function load(channel: DisplayChannel): Promise<void> {
    await hearing.check();
    const board = await loadBoard(ctx.db, channel.locationId, { atMs: ctx.clock.now(), isNow: true });
    const flows = await findFlows(ctx.db, board.sensors.keys());
    channel.board = board;
    channel.ledger = toLedger(board);
    channel.flows = new Map(flows.map((flow) => [flow.num, flow]));
    for (const { num, id } of board.sensors.values()) {
      const live = hearing.lastFlow(id);
      if (live && live.receivedMs >= (channel.flows.get(num)?.receivedMs ?? 0))
        channel.flows.set(num, { num, ...live });
    }
    channel.isUnsure = false;
  }

  /** Groups the spans of stored counts by board. Counts of a sensor that the board does not include reload the board. */
  function spansOf(counts: readonly CountsStored[], boardOf: (id: string) => Board | null) {
    const spans = new Map<Board, StoredSpan[]>();
    for (const { locationId, sensorId, fromMs, toMs } of counts) {
      const board = locationId === null ? null : boardOf(locationId);
      if (!board) continue;
      const num = findSensorNum(board, sensorId);
      if (num === null) reload(board.locationId);
      else spans.getOrInsertComputed(board, () => []).push({ num, fromMs, toMs });
    }
    return spans;
  }

  return bringUpToDate;
}

export function findSensorNum(board: Board, sensorId: string): number | null {
  return board.numbers.get(sensorId) ?? null;
}
