// Computes the count of each displayed location once and sends changes to all of its displays (docs/rules/occupancy.md#display-socket). The
// state can be rebuilt from the database at any time.
import type { Context } from "../../context.ts";
import type { Flow } from "../ledger/ledger.rules.ts";
import {
  createBoardUpdater,
  hasPendingChanges,
  createPendingChanges,
  findSensorNum,
  type PendingChanges,
} from "./board-update.service.ts";
import { type DisplayChannel, createDisplayChannel, createDisplaySender, type DisplayClient } from "./channel.live.ts";
import { createFlowListener } from "./flow-listener.live.ts";

const tickMs = 200;
const retryMs = 1000;

export function createDisplayHub(ctx: Context) {
  const channels = new Map<string, DisplayChannel>();
  let pending = createPendingChanges();
  /** Channels in which only flows changed, so that no query is needed. */
  const flowing = new Set<DisplayChannel>();
  let working: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;

  const hearing = createFlowListener(ctx, () => channels.size > 0, putFlow, reloadAll);
  const screens = createDisplaySender(ctx, ({ locationId }) => channels.has(locationId), hearing.isDeaf);
  const bringUpToDate = createBoardUpdater(ctx, channels, hearing, (id) => void pending.boards.add(id));

  const off = collectChanges(ctx.bus, channels, wake);
  // Reloads boards at the daily reset, which no event reports.
  const timer = setInterval(() => {
    const now = ctx.clock.now();
    for (const { board, locationId } of channels.values())
      if (board && now >= board.nextResetMs) wake(() => void pending.boards.add(locationId));
  }, tickMs).unref();

  function wake(note: (pending: PendingChanges) => void): void {
    note(pending);
    working ??= work().finally(() => (working = null));
  }

  function reloadAll(): void {
    wake(() => channels.forEach((_, id) => pending.boards.add(id)));
  }

  function putFlow(sensorId: string, flow: Omit<Flow, "num">): void {
    for (const channel of channels.values()) {
      const num = channel.board && findSensorNum(channel.board, sensorId);
      if (num === null) continue;
      channel.flows.set(num, { num, ...flow });
      wake(() => void flowing.add(channel));
    }
  }

  async function work(): Promise<void> {
    // Waits one turn of the event loop, in which all events of a commit arrive, to process them together.
    await new Promise((resolve) => setImmediate(resolve));
    while (flowing.size > 0 || hasPendingChanges(pending)) {
      const batch = pending;
      pending = createPendingChanges();
      const touched = new Set(flowing);
      flowing.clear();
      await bringUpToDate(batch, touched).catch((error: unknown) => {
        ctx.log.error({ err: error }, "displays can't be brought up to date");
        markUnknown(batch);
      });
      for (const channel of touched) screens.show(channel);
    }
  }

  /** Shows "unknown" on the displays whose boards could not be updated, and schedules a reload. */
  function markUnknown({ boards, corrections, counts, sensors, sights }: PendingChanges): void {
    const ids = sensors.size + sights.size > 0 ? [...channels.keys()] : [...boards, ...corrections];
    for (const id of new Set([...ids, ...counts.map(({ locationId }) => locationId ?? "")])) {
      const channel = channels.get(id);
      if (!channel) continue;
      channel.isUnsure = true;
      channel.board = channel.ledger = null;
      screens.show(channel);
    }
    retry ??= setTimeout(() => {
      retry = null;
      for (const { isUnsure, locationId } of channels.values())
        if (isUnsure) wake(() => void pending.boards.add(locationId));
    }, retryMs).unref();
  }

  return {
    join(client: DisplayClient, locationId: string): void {
      const channel = channels.getOrInsertComputed(locationId, createDisplayChannel);
      channel.clients.add(client);
      channel.waiting.add(client);
      if (channel.board) screens.show(channel);
      else wake(() => void pending.boards.add(locationId));
    },
    leave(client: DisplayClient, locationId: string): void {
      const channel = channels.get(locationId);
      channel?.clients.delete(client);
      channel?.waiting.delete(client);
      if (channel?.clients.size === 0) channels.delete(locationId);
    },
    /** Call it when events of other processes may have been lost. */
    missed: reloadAll,
    async stop(): Promise<void> {
      for (const one of off) one();
      clearInterval(timer);
      hearing.stop();
      if (retry) clearTimeout(retry);
      await working;
      await screens.written();
    },
  };
}

function collectChanges(
  bus: Context["bus"],
  channels: ReadonlyMap<string, DisplayChannel>,
  wake: (note: (pending: PendingChanges) => void) => void,
): (() => void)[] {
  return [
    bus.on("countsStored", ({ counts }) => {
      const ours = counts.filter(({ locationId }) => locationId !== null && channels.has(locationId));
      if (ours.length > 0) wake((pending) => void pending.counts.push(...ours));
    }),
    bus.on("sightChanged", ({ sensorIds }) => {
      if (channels.size > 0) wake((pending) => sensorIds.forEach((id) => pending.sights.add(id)));
    }),
    bus.on("occupancyCorrected", ({ locationIds }) => {
      for (const id of locationIds) if (channels.has(id)) wake((pending) => void pending.corrections.add(id));
    }),
    bus.on("entityChanged", ({ type, id }) => {
      if (channels.size === 0) return;
      if (type === "sensor") return wake((pending) => void pending.sensors.add(id));
      if (type === "measurement" && channels.has(id)) wake((pending) => void pending.boards.add(id));
    }),
  ];
}
