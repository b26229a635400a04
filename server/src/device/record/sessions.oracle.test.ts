// Plays sessions of a device through gateways that receive births and records in any order (DE-01).
import type { Ack } from "@psp/contract/device/device-messages.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { capabilities } from "../../process/nouns.ts";
import { createCountRecord, createDeviceWorld, type DeviceWorld } from "../../testing/devices/device-world.ts";
import { findRecordStore } from "../capability.ts";
import { createBirthQueue, registerDeviceHandlers } from "../messages.ts";
import { createPresence } from "../presence/presence.ts";
import { createPresenceWriter } from "../presence/presence-writer.ts";
import { createClockTracker } from "../clock/clocks.ts";
import { createAckScheduler } from "./acks.ts";
import { createRecorder } from "./records.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

type Message = { sensorId: string; isRetained: boolean };
type Handler = (message: Message, payload: never) => Promise<void> | void;

/** A gateway of an external broker, without the broker: the test delivers its messages and receives its acknowledgments. */
function startGateway(sensorId: string, onAck: (ack: Ack) => void, onRebirth: () => void) {
  const { config } = world.ctx;
  const ctx = { ...world.ctx, config: { ...config, mqtt: { ...config.mqtt, url: "mqtt://broker.example.com" } } };
  const handlers = new Map<string, Handler>();
  const { now } = ctx.clock;
  const changes = createPresenceWriter(ctx, "7c1f5a0e-52ab-4d38-9a0f-3f6f1f0c2b11");
  const presence = createPresence({
    now,
    write: changes.add,
    ping: () => undefined,
    check: () => undefined,
    askRebirth: onRebirth,
    isConnected: () => null,
    shared: {
      isResponsible: () => true,
      hasOthers: () => true,
      isReady: () => true,
      findLastContacts: () => Promise.resolve(new Map()),
    },
  });
  const acks = createAckScheduler(now, presence.isOnline, (_sensorId, ack) => onAck(ack));
  const recorder = createRecorder(ctx, findRecordStore(capabilities), acks.note, presence.missBirth);
  const births = createBirthQueue(ctx, acks, () => Promise.resolve());
  const pending = new Set<Promise<void>>();
  const track = (work: Promise<void>) => {
    pending.add(work);
    void work.then(() => pending.delete(work));
    return work;
  };
  const gateway = {
    handle: (kind: string, _schema: unknown, handler: Handler) => void handlers.set(kind, handler),
    onContact: () => undefined,
    onDisconnect: () => undefined,
    onTakeover: () => undefined,
    onUnreadable: () => undefined,
  };
  registerDeviceHandlers(ctx, gateway as never, {
    presence,
    changes,
    recorder: { ...recorder, add: (added) => track(recorder.add(added)) },
    acks,
    births: { ...births, add: (born) => track(births.add(born)) },
    clocks: createClockTracker(now, () => undefined),
    takeovers: { note: () => undefined } as never,
    capabilities: [],
    isMine: () => true,
    onHeldPassword: () => Promise.resolve(),
  });
  return {
    /** Resolves when the message and what follows from it is committed. */
    async receive(kind: string, payload: object, isRetained = false) {
      await handlers.get(kind)?.({ sensorId, isRetained }, payload as never);
      do {
        await Promise.all(pending);
        await setImmediate();
      } while (pending.size > 0);
    },
    async tick() {
      await presence.tick();
      acks.tick();
    },
    stop: () => Promise.all([recorder.stop(), births.stop("all"), changes.stop("all")]),
  };
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("measure" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("send" as const), to: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("send newest" as const), to: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("deliver" as const), at: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("connect" as const), to: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("retained" as const), to: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reset" as const), to: fc.nat(2), back: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("tick" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Posted = { to: number; kind: "state" | "data"; payload: Record<string, unknown>; age: number };

const maxAge = 4;
const gateways = 3;

/**
 * The device keeps each record until an acknowledgment covers it, as real ones do. No record may be lost or doubled. With
 * `areBirthsOrdered`, a birth arrives before that of the next session; then a restart of the numbering must be recognized, and must not be
 * reported without one. Otherwise births come in any order, and the device never restarts its numbering.
 */
async function play(steps: readonly Step[], areBirthsOrdered: boolean) {
  const one = await world.enrol();
  let [q, slot, sid, first, restarts] = [0, 0, 0, 1, 0];
  /** The highest number that was sent since the numbering began. */
  let highest = 0;
  let birth: Record<string, unknown> = {};
  const held = new Map<number, number>();
  const arrived = new Set<number>();
  let posted: Posted[] = [];
  const running = Array.from({ length: gateways }, (_, to) =>
    startGateway(one.sensorId, acknowledge, () => {
      birth = { ...birth, seq: { first, next: q + 1 } };
      posted.push({ to, kind: "state", payload: birth, age: 0 });
    }),
  );

  function acknowledge({ upTo, holes }: Ack) {
    for (const [number, at] of held) {
      if (number > upTo || holes.some(([from, to]) => from <= number && number <= to)) continue;
      expect(arrived, `record ${number} was acknowledged before it arrived`).toContain(at);
      held.delete(number);
    }
    first = Math.min(q + 1, ...held.keys());
  }
  async function deliver(message: Posted) {
    posted = posted.filter((other) => other !== message);
    await running[message.to]?.receive(message.kind, message.payload);
    if (message.kind === "data")
      for (const { slot: at } of message.payload["recs"] as { slot: number }[]) arrived.add(at);
  }
  async function deliverAll(which: (message: Posted) => boolean = () => true) {
    for (const message of posted.filter(which)) await deliver(message);
  }
  async function tick() {
    world.ctx.clock.moveTo(world.ctx.clock.now() + 1_100);
    for (const message of posted) message.age += 1;
    await deliverAll(({ age }) => age > maxAge);
    for (const gateway of running) await gateway.tick();
  }
  async function connect(to: number) {
    if (areBirthsOrdered) await deliverAll(({ kind }) => kind === "state");
    sid += 1;
    birth = { online: true, sid: `s${sid}`, n: 1, ep: "e", caps: [], seq: { first, next: q + 1 } };
    posted.push({ to, kind: "state", payload: birth, age: 0 });
  }
  function send(to: number, records = [...held]) {
    const recs = records.map(([number, at]) => {
      const { s, e } = createCountRecord(at);
      return { ...createCountRecord(number, { s, e }), slot: at };
    });
    highest = Math.max(highest, ...records.map(([number]) => number));
    posted.push({ to, kind: "data", payload: { sid: `s${sid}`, ep: "e", recs }, age: 0 });
  }
  function measure() {
    [q, slot] = [q + 1, slot + 1];
    held.set(q, slot);
  }
  await connect(0);
  for (const now of steps) {
    if (now.do === "measure") measure();
    else if (now.do === "send") send(now.to);
    else if (now.do === "send newest") send(now.to, [...held].slice(-1));
    else if (now.do === "connect") await connect(now.to);
    else if (now.do === "tick") await tick();
    else if (now.do === "retained") await running[now.to]?.receive("state", birth, true);
    else if (now.do === "deliver") {
      const message = posted[now.at % Math.max(1, posted.length)];
      if (message) await deliver(message);
    } else if (areBirthsOrdered) {
      // The device loses its buffer and its last numbers. Until it has started again, everything has arrived in both directions.
      for (let calm = 0; calm < 3; calm = posted.length === 0 ? calm + 1 : 0) {
        await deliverAll();
        await tick();
      }
      q = Math.max(0, q - now.back);
      held.clear();
      // With `seq.next` above all sent numbers, nothing would tell that some of them are used again.
      for (let n = now.back % 4; n > 0 && q + 1 !== highest; n -= 1) measure();
      if (highest > q) [restarts, highest] = [restarts + 1, 0];
      first = Math.min(q + 1, ...held.keys());
      await connect(now.to);
    }
  }
  for (let round = 0; held.size > 0; round += 1) {
    expect(round, "acknowledged in the end").toBeLessThan(40);
    if (round % 12 === 0) send(round % gateways);
    await tick();
  }
  await deliverAll();
  await Promise.all(running.map((gateway) => gateway.stop()));
  const { rows } = await sql<{ slot: number }>`
    select ((h.start_ms - ${createCountRecord(0).s}) / 300000)::int as slot from count_hot h
    join sensor s on s.num = h.sensor_num where s.id = ${one.sensorId} order by 1`.execute(world.ctx.db);
  expect(rows.map((row) => row.slot)).toEqual([...arrived].toSorted((a, b) => a - b));
  const {
    rows: [epoch],
  } = await sql<{ generation: number; is_restarted: boolean }>`
    select e.generation, e.restarted_at is not null as is_restarted from device_epoch e
    join sensor s on s.num = e.sensor_num where s.id = ${one.sensorId}`.execute(world.ctx.db);
  if (!epoch) throw new Error("The buffer is missing");
  if (areBirthsOrdered) expect(epoch.generation).toBeGreaterThanOrEqual(restarts);
  if (areBirthsOrdered && restarts === 0) expect(epoch.is_restarted).toBe(false);
  return epoch;
}

test.each([true, false])(
  "DE-01 whatever overtakes what at three gateways, no record is lost or counts twice; births in order: %s",
  { timeout: 600_000 },
  async (areBirthsOrdered) => {
    const history = fc.array(step, { minLength: 20, maxLength: 40, size: "max" });
    const property = fc.asyncProperty(history, async (steps) => void (await play(steps, areBirthsOrdered)));
    await fc.assert(property, { seed: seedOf(31), numRuns: rounds(1, 100), endOnFailure: true });
  },
);

type Move = readonly [Step["do"], number?, number?];
/** The device restarts its numbering, makes four records, and sends only the last one, which arrives before the birth. */
const overtakingFour: Move[] = [
  ["reset", 1, 4],
  ["measure"],
  ["measure"],
  ["measure"],
  ["measure"],
  ["send newest", 2],
  ["deliver", 1],
];
/** Each from a device with the stored numbers 1 to 3. `generation` is that of its numbers at the end. */
const fixed: [title: string, generation: number, moves: Move[]][] = [
  ["records overtake the birth", 0, [["connect", 1], ["measure"], ["send", 2], ["deliver", 1], ["deliver", 0]]],
  [
    "a gateway reads the birth late from the broker",
    0,
    [["connect", 1], ["deliver", 0], ["measure"], ["send", 2], ["deliver", 0], ["retained", 2]],
  ],
  [
    "records overtake the birth, which is then requested and overtakes them",
    0,
    [["connect", 1], ["measure"], ["send", 2], ["deliver", 1], ["tick"], ["tick"], ["measure"], ["deliver", 1]],
  ],
  [
    "a restarted numbering begins with its birth",
    1,
    [["reset", 1, 4], ["deliver", 0], ["measure"], ["send", 2], ["deliver", 0]],
  ],
  [
    "numbers that are used again overtake the birth",
    1,
    [["reset", 1, 4], ["measure"], ["send", 2], ["deliver", 1], ["tick"], ["tick"], ["deliver", 0]],
  ],
  [
    "a number above all stored ones overtakes the birth of a restarted numbering",
    1,
    [...overtakingFour, ["deliver", 0]],
  ],
  [
    "a number above all stored ones and a requested birth overtake the birth of a restarted numbering",
    1,
    [...overtakingFour, ["tick"], ["tick"], ["deliver", 1]],
  ],
];
test.each(fixed)("DE-01 %s", async (_title, generation, moves) => {
  const before: Move[] = [["measure"], ["measure"], ["measure"], ["send", 0], ["deliver", 0], ["deliver", 0], ["tick"]];
  const steps = [...before, ...moves].map(([what, to = 0, back = 0]) => ({ do: what, to, at: to, back }));
  expect((await play(steps, true)).generation).toBe(generation);
});

test("DE-01 records whose session never has a birth are acknowledged after 10 s, in each buffer", async () => {
  const one = await world.enrol();
  const acks: Ack[] = [];
  let rebirths = 0;
  const [first, second] = [1, 2].map(() =>
    startGateway(
      one.sensorId,
      (ack) => void acks.push(ack),
      () => (rebirths += 1),
    ),
  );
  if (!first || !second) throw new Error("no gateways");
  const pass = async (ms: number) => {
    world.ctx.clock.moveTo(world.ctx.clock.now() + ms);
    for (const gateway of [first, second]) await gateway.tick();
  };
  const send = (ep: string, to: typeof first) => to.receive("data", { sid: "x", ep, recs: [createCountRecord(1)] });
  for (const ep of ["e", "other"]) {
    await first.receive("state", { online: true, sid: "s1", n: 1, ep, caps: [], seq: { first: 1, next: 1 } });
    await pass(1_100);
  }
  acks.length = 0;
  for (const to of [first, second])
    for (const ep of ["e", "other"]) {
      await send(ep, to);
      await pass(3_000);
      expect(acks).toEqual([]);
    }
  expect(rebirths).toBe(2);
  for (const ep of ["e", "other"]) {
    await send(ep, second);
    await pass(1_100);
    expect(acks.splice(0)).toMatchObject([{ ep, upTo: 1, holes: [] }]);
  }
  await pass(60_000);
  await send("e", first);
  await pass(3_000);
  expect(rebirths).toBe(2);
  await Promise.all([first, second].map((gateway) => gateway.stop()));
});
