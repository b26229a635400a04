// Compares repeated, corrected and restarted record numbers with a second, simple implementation of the rules (DE-01).
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  batch,
  birth,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
} from "../../testing/devices/device-world.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

type Sent = { q: number; slot: number; people: number; cor: boolean };

function createOracle() {
  /** By slot. `q` is the number of the record, and `by` is its epoch if the record overwrote another one. */
  const slots = new Map<number, { people: number; by: string | null; q: number }>();
  let epoch = 0;
  let numbers: number[] = [];
  const refused: string[] = [];
  let run: { key: string; slot: number; before: { people: number; by: string | null; q: number } }[] = [];
  let isSuspect = false;
  const restart = () => {
    epoch += 1;
    numbers = [];
  };
  const keyOf = (one: Sent) => `${epoch}/${one.q}/${one.slot}/${one.people}`;
  return {
    birth(next: number) {
      if (numbers.some((q) => q >= next)) restart();
      run = [];
      isSuspect = false;
    },
    record(one: Sent) {
      const isRepeat = numbers.includes(one.q);
      if (isRepeat && refused.includes(keyOf(one))) return;
      const known = slots.get(one.slot);
      const isRestart = isRepeat && known === undefined;
      if (!isRepeat) numbers.push(one.q);
      if (known === undefined) {
        slots.set(one.slot, { people: one.people, by: null, q: one.q });
        if (!isRepeat || isRestart) [run, isSuspect] = [[], false];
        if (isRestart) {
          restart();
          numbers.push(one.q);
        }
        return;
      }
      if (known.people === one.people) return;
      const mine = String(epoch);
      if (isRepeat) {
        const isLater = known.by !== null && (known.by !== mine || known.q > one.q);
        if (!isLater) slots.set(one.slot, { people: one.people, by: mine, q: one.q });
        return;
      }
      if (!one.cor) {
        if (isSuspect) return void refused.push(keyOf(one));
        if (run.length === 2) {
          isSuspect = true;
          for (const { slot, before, key } of run.toReversed()) {
            const [of, q] = key.split("/");
            const present = slots.get(slot);
            if (present?.by !== of || present?.q !== Number(q)) continue;
            slots.set(slot, before);
            refused.push(key);
          }
          return void refused.push(keyOf(one));
        }
        run.push({ key: keyOf(one), slot: one.slot, before: known });
      }
      slots.set(one.slot, { people: one.people, by: mine, q: one.q });
    },
    result: () => ({
      counts: [...slots].map(([slot, { people }]) => [slot, people]).toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)),
      refused: new Set(refused.map((key) => key.split("/").slice(0, 2).join("/"))).size,
    }),
  };
}

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("new" as const), people: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("again" as const), at: fc.nat(50) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("itself" as const), at: fc.nat(50), people: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("over" as const),
      slot: fc.nat(50),
      people: fc.nat(3),
      cor: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reconnect" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const), announced: fc.boolean() }) },
);

async function play(one: Device, steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) {
  const oracle = createOracle();
  let sent: Sent[] = [];
  let [q, slot, sid] = [0, 0, 1];
  const send = async (records: Sent[]) => {
    for (const record of records) oracle.record(record);
    const recs = records.map((record) => ({
      ...createCountRecord(record.q, { s: createCountRecord(record.slot).s, e: createCountRecord(record.slot).e }),
      lines: [{ id: "l1", in: record.people, out: 0 }],
      ...(record.cor ? { cor: true } : {}),
    }));
    await one.up("data", batch(recs));
  };
  const connect = async () => {
    sid += 1;
    oracle.birth(q + 1);
    await one.up("state", birth(`s${sid}`, { seq: { first: 1, next: q + 1 } }));
  };
  await connect();
  for (const now of steps) {
    const old = "at" in now ? sent[now.at % Math.max(1, sent.length)] : undefined;
    if (now.do === "new") {
      [q, slot] = [q + 1, slot + 1];
      sent.push({ q, slot, people: now.people, cor: false });
      await send(sent.slice(-1));
    } else if (now.do === "again" && old) await send([old]);
    else if (now.do === "itself" && old) {
      const changed = { ...old, people: now.people };
      sent = sent.map((record) => (record === old ? changed : record));
      await send([changed]);
    } else if (now.do === "over" && slot > 0) {
      q += 1;
      sent.push({ q, slot: 1 + (now.slot % slot), people: now.people, cor: now.cor });
      await send(sent.slice(-1));
    } else if (now.do === "reconnect") await connect();
    else if (now.do === "restart") {
      // The device loses its buffer and starts its numbers at 1.
      [q, sent] = [0, []];
      if (now.announced) await connect();
    }
  }
  const { rows } = await sql<{ slot: number; people: number }>`
    select ((h.start_ms - ${createCountRecord(0).s}) / 300000)::int as slot, h.n_in as people from count_hot h
    join sensor s on s.num = h.sensor_num where s.id = ${one.id} order by 1`.execute(world.ctx.db);
  const { rows: sums } = await sql<{ people: number; refused: number }>`
    select (select coalesce(sum(n_in), 0)::int from count_day where sensor_num = s.num) as people,
      (select count(*)::int from dead_letter where sensor_num = s.num) as refused
    from sensor s where s.id = ${one.id}`.execute(world.ctx.db);
  const { counts, refused } = oracle.result();
  expect(rows.map((row) => [row.slot, row.people])).toEqual(counts);
  expect(sums[0]).toEqual({ people: counts.reduce((sum, [, people]) => sum + (people ?? 0), 0), refused });
}

test("DE-01 counts, sums and dead letters match the simple rules after any history", { timeout: 300_000 }, async () => {
  const history = fc.array(step, { minLength: 20, maxLength: 60, size: "max" });
  const property = fc.asyncProperty(history, async (steps) => {
    const one = await world.connect(await world.enrol());
    await play(one, steps);
    await one.end();
  });
  await fc.assert(property, { seed: seedOf(29), numRuns: rounds(2, 150), endOnFailure: true });
});
