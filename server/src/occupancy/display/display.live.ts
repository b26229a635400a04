// What open displays show: the count of each location that is looked at is computed once, and each change is sent to all of its
// displays (docs/rules/occupancy.md#display-socket). All of it can be made again from the database at any time.
import type { OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import { displayOffCode } from "@psp/contract/occupancy/occupancy-defaults.ts";
import pLimit from "p-limit";
import type { Context } from "../../context.ts";
import type { CountsStored, EntityChanged } from "../../kit/bus.ts";
import {
  type Board,
  flowsHere,
  isListening,
  isMisplaced,
  isOtherwiseThere,
  ledgerOf,
  loadBoard,
  patchCounts,
  refreshCorrections,
  refreshSights,
  type StoredSpan,
} from "../ledger/board.service.ts";
import { type Flow, type Ledger, type Shown, withFlows } from "../ledger/ledger.rules.ts";
import { findFlows, findSensorsById, saveShown, type ShownRow } from "../ledger/ledger.store.ts";
import { frameOf, isSame, type Sent } from "./channel.rules.ts";

export type DisplayClient = {
  /** How many messages it was sent. */
  sent: number;
  send(frame: string): void;
  close(code: number, reason: string): void;
};

type Channel = {
  locationId: string;
  clients: Set<DisplayClient>;
  /** Those that were not sent anything yet. */
  waiting: Set<DisplayClient>;
  board: Board | null;
  ledger: Ledger | null;
  flows: Map<number, Flow>;
  sent: Sent | null;
};

/** What is to be looked at again. */
type Pending = {
  boards: Set<string>;
  corrections: Set<string>;
  /** Sensors that may be elsewhere, come or gone. */
  sensors: Set<string>;
  /** Sensors whose view or outages changed. */
  sights: Set<string>;
  counts: CountsStored[];
};
const nothingPending = (): Pending => ({
  boards: new Set(),
  corrections: new Set(),
  sensors: new Set(),
  sights: new Set(),
  counts: [],
});

const tickMs = 200;
const listenEveryMs = 5000;
const retryMs = 1000;
const loadsAtOnce = 4;
const maxHeard = 20_000;

export function createDisplayHub(ctx: Context) {
  const channels = new Map<string, Channel>();
  /** The last word of each sensor, also of those that no open display counts with. */
  const heard = new Map<string, Omit<Flow, "num">>();
  let pending = nothingPending();
  /** Channels whose flows changed: what they show follows without any question to the database. */
  const flowing = new Set<Channel>();
  const unsure = new Set<string>();
  let working: Promise<void> | null = null;
  let writing: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | null = null;
  /** Sensors are not heard, because no gateway is at work. */
  let isDeaf = false;
  const loading = pLimit(loadsAtOnce);

  const off = [
    ctx.bus.on("countsStored", ({ counts }) => {
      const ours = counts.filter(({ locationId }) => locationId !== null && channels.has(locationId));
      if (ours.length > 0) wake(() => void pending.counts.push(...ours));
    }),
    ctx.bus.on("liveLevel", ({ sensorId, level }) => {
      if (level.t !== "flow") return;
      const [ins, out] = (["in", "out"] as const).map((way) => level.lines.reduce((sum, line) => sum + line[way], 0));
      hear(sensorId, { sinceMs: level.since, receivedMs: ctx.clock.now(), in: ins ?? 0, out: out ?? 0 });
    }),
    ctx.bus.on("sightChanged", ({ sensorIds }) => {
      if (channels.size > 0) wake(() => sensorIds.forEach((id) => pending.sights.add(id)));
    }),
    ctx.bus.on("occupancyCorrected", ({ locationIds }) => {
      for (const id of locationIds) if (channels.has(id)) wake(() => void pending.corrections.add(id));
    }),
    ctx.bus.on("entityChanged", onEntity),
  ];
  // What time alone changes: the reset of the day.
  const timer = setInterval(() => {
    const now = ctx.clock.now();
    for (const { board, locationId } of channels.values())
      if (board && now >= board.nextResetMs) wake(() => void pending.boards.add(locationId));
  }, tickMs).unref();

  // Without a gateway nothing comes that would say so.
  const listening = setInterval(() => {
    if (channels.size > 0) void listen().catch(() => wake(() => channels.forEach((_, id) => pending.boards.add(id))));
  }, listenEveryMs).unref();

  async function listen(): Promise<void> {
    const before = isDeaf;
    isDeaf = !(await isListening(ctx));
    if (isDeaf !== before) wake(() => channels.forEach((_, id) => pending.boards.add(id)));
  }

  function onEntity({ type, id }: EntityChanged): void {
    if (channels.size === 0) return;
    if (type === "sensor") return wake(() => void pending.sensors.add(id));
    if (type === "measurement" && channels.has(id)) wake(() => void pending.boards.add(id));
  }

  function wake(note: () => void): void {
    note();
    working ??= work().finally(() => (working = null));
  }

  function hear(sensorId: string, flow: Omit<Flow, "num">): void {
    heard.delete(sensorId);
    heard.set(sensorId, flow);
    if (heard.size > maxHeard) heard.delete(heard.keys().next().value ?? "");
    for (const channel of channels.values()) {
      const num = channel.board && numOf(channel.board, sensorId);
      if (num === null) continue;
      channel.flows.set(num, { num, ...flow });
      wake(() => void flowing.add(channel));
    }
  }

  async function work(): Promise<void> {
    // What one commit announces comes within one turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (hasWork()) {
      const batch = pending;
      pending = nothingPending();
      const touched = new Set(flowing);
      flowing.clear();
      await bringUpToDate(batch, touched).catch((error: unknown) => {
        ctx.log.error({ err: error }, "displays can't be brought up to date");
        doubt(batch);
      });
      for (const channel of touched) show(channel);
    }
  }

  const hasWork = () =>
    flowing.size > 0 || Object.values(pending).some((some) => (Array.isArray(some) ? some.length : some.size) > 0);

  const inParallel = (ids: Iterable<string>, each: (id: string) => Promise<void>) =>
    Promise.all([...ids].map((id) => loading(() => each(id))));

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

  /** Stored counts on the boards that they concern; where a sensor is not known yet, the board is loaded again. */
  function spansOf(counts: readonly CountsStored[], boardOf: (id: string) => Board | null) {
    const spans = new Map<Board, StoredSpan[]>();
    for (const { locationId, sensorId, fromMs, toMs } of counts) {
      const board = locationId === null ? null : boardOf(locationId);
      if (!board) continue;
      const num = numOf(board, sensorId);
      if (num === null) pending.boards.add(board.locationId);
      else spans.getOrInsertComputed(board, () => []).push({ num, fromMs, toMs });
    }
    return spans;
  }

  async function load(channel: Channel): Promise<void> {
    isDeaf = !(await isListening(ctx));
    const board = await loadBoard(ctx.db, channel.locationId, { atMs: ctx.clock.now(), isPresent: true });
    const flows = await findFlows(ctx.db, board.sensors.keys());
    channel.board = board;
    channel.ledger = ledgerOf(board);
    channel.flows = new Map(flows.map((flow) => [flow.num, flow]));
    for (const { num, id } of board.sensors.values()) {
      const live = heard.get(id);
      if (live && live.receivedMs >= (channel.flows.get(num)?.receivedMs ?? 0))
        channel.flows.set(num, { num, ...live });
    }
    unsure.delete(channel.locationId);
  }

  /** What could not be read is not known: displays say so, and all of it is read again. */
  function doubt({ boards, corrections, counts, sensors, sights }: Pending): void {
    const ids = sensors.size + sights.size > 0 ? [...channels.keys()] : [...boards, ...corrections];
    for (const id of new Set([...ids, ...counts.map(({ locationId }) => locationId ?? "")])) {
      const channel = channels.get(id);
      if (!channel) continue;
      unsure.add(id);
      channel.board = channel.ledger = null;
      show(channel);
    }
    retry ??= setTimeout(() => {
      retry = null;
      for (const id of unsure) if (channels.has(id)) wake(() => void pending.boards.add(id));
    }, retryMs).unref();
  }

  function show(channel: Channel): void {
    const { board, ledger, sent, clients, waiting } = channel;
    if (!channels.has(channel.locationId)) return;
    const shown: Sent["shown"] =
      board && ledger
        ? withFlows(isDeaf ? { ...ledger, isBlind: true } : ledger, flowsHere(board, channel.flows.values())).shown
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
    join(client: DisplayClient, locationId: string): void {
      const channel = channels.getOrInsertComputed(locationId, () => ({
        locationId,
        clients: new Set(),
        waiting: new Set(),
        board: null,
        ledger: null,
        flows: new Map(),
        sent: null,
      }));
      channel.clients.add(client);
      channel.waiting.add(client);
      if (channel.board) show(channel);
      else wake(() => void pending.boards.add(locationId));
    },
    leave(client: DisplayClient, locationId: string): void {
      const channel = channels.get(locationId);
      channel?.clients.delete(client);
      channel?.waiting.delete(client);
      if (channel?.clients.size !== 0) return;
      channels.delete(locationId);
      unsure.delete(locationId);
    },
    /** Events of other processes may have been lost: everything is looked at again. */
    missed(): void {
      for (const id of channels.keys()) wake(() => void pending.boards.add(id));
    },
    async stop(): Promise<void> {
      for (const one of off) one();
      clearInterval(timer);
      clearInterval(listening);
      if (retry) clearTimeout(retry);
      await working;
      await writing;
    },
  };
}

function numOf(board: Board, sensorId: string): number | null {
  return board.numbers.get(sensorId) ?? null;
}
