// Tests acknowledgements while births and records are being stored.
import { fc, test as property } from "@fast-check/vitest";
import { protocolLimits } from "@psp/contract/device/device-topics.ts";
import type { Ack } from "@psp/contract/device/device-messages.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  batch,
  birth,
  createCountRecord,
  createDeviceWorld,
  type DeviceWorld,
} from "../../testing/devices/device-world.ts";
import { untilSomebodyWaits } from "../../testing/waiting.ts";
import { createAckScheduler } from "./acks.ts";
import { addNumbers } from "./received.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

test("DE-01 records at the moment of the birth are acknowledged without a hole", async () => {
  const reply = await world.enrol();
  const one = await world.connect(reply);
  const { released } = await world.ctx.db.transaction().execute(async (tx) => {
    await tx.selectFrom("sensor").select("num").where("id", "=", one.id).forNoKeyUpdate().execute();
    const born = one.up("state", birth("s1", { seq: { first: 881, next: 884 } }));
    await one.up("data", batch([createCountRecord(881), createCountRecord(883)]));
    await untilSomebodyWaits(world.ctx.db);
    await world.running().tick();
    // The gateway publishes due acknowledgements before requests, so a received request proves that they have arrived.
    await world.running().send(one.id, "getSnapshot", "", 1_000);
    await one.heard("rpc");
    return { released: born };
  });
  await released;
  const ack = await one.heard("ack");
  expect(ack.json).toMatchObject({ ep: "e1", upTo: 883, holes: [[882, 882]] });
  expect(one.got.filter(({ topic }) => topic.endsWith("/dn/ack"))[0]).toBe(ack);
  await one.end();
});

/** With a clock that only `pass` moves. `isKnown`: whether the device counts as connected. */
function startAcks(isKnown: boolean) {
  const reported: Ack[] = [];
  let now = 1_000;
  const acks = createAckScheduler(
    () => now,
    () => isKnown,
    (_sensorId, ack) => void reported.push(ack),
  );
  return { acks, reported, pass: (ms: number) => void (now += ms) };
}

test("DE-01 records of a session whose birth is awaited, and births of former sessions, change no acknowledgment", () => {
  const { acks, reported, pass } = startAcks(true);
  const progress = { sensorId: "a", ep: "e", generation: 0, ranges: addNumbers([], [3, 4, 5]), firstQ: 3 };
  acks.note({ ...progress, isBirthAwaited: true });
  acks.tick();
  expect(reported).toEqual([]);
  const current = acks.born({ sensorId: "a", ep: "e", firstQ: 1 });
  const outdated = acks.born({ sensorId: "a", ep: "e", firstQ: 5_000 });
  acks.note({ ...progress, isBirthAwaited: false });
  current(true);
  acks.tick();
  expect(reported).toEqual([]);
  outdated(false);
  outdated(true);
  acks.tick();
  expect(reported).toMatchObject([{ upTo: 5, holes: [[1, 2]] }]);
  acks.note({ ...progress, isBirthAwaited: true });
  pass(protocolLimits.ackIntervalMs);
  acks.tick();
  expect(reported).toHaveLength(1);
});

test("DE-01 records before any birth wait a second for it", () => {
  const { acks, reported, pass } = startAcks(false);
  const progress = {
    sensorId: "a",
    ep: "e",
    generation: 0,
    ranges: addNumbers([], [7]),
    firstQ: 1,
    isBirthAwaited: false,
  };
  acks.note(progress);
  acks.tick();
  expect(reported).toEqual([]);
  const stored = acks.born({ sensorId: "a", ep: "e", firstQ: 7 });
  stored(true);
  acks.tick();
  expect(reported).toMatchObject([{ upTo: 7, holes: [] }]);
  acks.note({ ...progress, sensorId: "b" });
  pass(protocolLimits.ackIntervalMs);
  acks.tick();
  expect(reported[1]).toMatchObject({ upTo: 7, holes: [[1, 6]] });
});

/** One step of a device as the gateway sees it. A commit is reported `late` steps after its transaction read the row. */
const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("birth" as const), gap: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("records" as const), n: fc.integer({ min: 1, max: 4 }), late: fc.nat(4) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("stored" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("tick" as const), ms: fc.integer({ min: 500, max: 2_500 }) }) },
);

property.prop([fc.array(step, { minLength: 30, maxLength: 60, size: "max" })], { seed: 20_261_122, numRuns: 300 })(
  "DE-01 whatever overtakes what, no acknowledgement after a birth tells a hole before its first number",
  (steps) => {
    let now = 0;
    let first = 0;
    const row = { firstQ: 1, stored: [] as number[], next: 1 };
    const unstored: (() => void)[] = [];
    const onTheWay: { at: number; tell: () => void }[] = [];
    const acks = createAckScheduler(
      () => now,
      () => first > 0,
      (_sensorId, { holes, upTo }) => {
        expect(unstored).toEqual([]);
        for (const [from] of holes) expect(from).toBeGreaterThanOrEqual(first);
        expect(upTo).toBeLessThan(row.next);
      },
    );
    for (const [index, one] of steps.entries()) {
      if (one.do === "birth") {
        row.next += one.gap;
        first = row.next;
        const mine = first;
        const done = acks.born({ sensorId: "a", ep: "e", firstQ: mine });
        unstored.push(() => {
          row.firstQ = mine;
          acks.note({
            sensorId: "a",
            ep: "e",
            generation: 0,
            ranges: addNumbers([], row.stored),
            firstQ: mine,
            isBirthAwaited: false,
          });
          done(true);
        });
      } else if (one.do === "records") {
        row.stored.push(...Array.from({ length: one.n }, () => row.next++));
        const seen = {
          sensorId: "a",
          ep: "e",
          generation: 0,
          ranges: addNumbers([], row.stored),
          firstQ: row.firstQ,
          isBirthAwaited: false,
        };
        onTheWay.push({ at: index + one.late, tell: () => acks.note(seen) });
      } else if (one.do === "stored") unstored.shift()?.();
      else {
        now += one.ms;
        acks.tick();
      }
      for (const due of onTheWay.filter(({ at }) => at === index)) due.tell();
    }
  },
);
