// Tests the server's own requests to sensors: one per tunnel, few at a time, repeated when needed (SE-06).
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sectionOf } from "@psp/contract/section/sections.ts";
import { getDefaults } from "@psp/contract/section/values.ts";
import type { Section } from "@psp/contract/section/field.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { TunnelError, type TunnelReply, type Tunnels } from "../tunnel/tunnel.service.ts";
import { confirmChangesOverTunnels } from "./confirmation.service.ts";
import { readSectionsOverTunnels } from "./reading.service.ts";
import { storeConfirmation, findSections } from "./section.store.ts";

let world: World;
let owner: Person;
let last = 0;
beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  owner = await world.account("Tram Lines", world.root, fullPermissions);
});
afterAll(() => world.stop());

async function sensor(type = "ZOD"): Promise<string> {
  last += 1;
  const _id = toMac(0x0200_0001_0000 + last);
  await world.call(owner, "POST", "/api/sensor", { body: { _id, owner: owner.id, type } });
  return _id;
}

async function storedRev(id: string): Promise<number | undefined> {
  const { num } = await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", id).executeTakeFirstOrThrow();
  return (await findSections(world.ctx.db, num)).get("group")?.answer.rev;
}

const values = getDefaults(sectionOf("ZOD", "group") as Section);
const groupOf = (rev: number): TunnelReply => ({
  status: 200,
  body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { rev, values } })),
});

function fakeTunnels() {
  const open = new Set<string>();
  const questions: { id: string; body: unknown; answer(reply: TunnelReply): void; fail(error: Error): void }[] = [];
  let opened: (sensorId: string) => void = () => undefined;
  const tunnels: Tunnels = {
    isOpen: (id) => open.has(id),
    openIds: () => [...open],
    onOpen: (listener) => ((opened = listener), () => (opened = () => undefined)),
    request: (id, { body }) =>
      new Promise((answer, fail) => questions.push({ id, body: JSON.parse(body ?? "null"), answer, fail })),
  };
  return {
    tunnels,
    questions,
    open(id: string) {
      open.add(id);
      opened(id);
    },
    asked: (n: number) => until(`question ${n}`, () => questions[n - 1]),
  };
}

function tunnelsOf() {
  const fake = fakeTunnels();
  const reading = readSectionsOverTunnels(world.ctx, fake.tunnels);
  onTestFinished(() => reading.stop());
  return { reading, ...fake };
}

const pass = (ms: number) => world.ctx.clock.moveTo(world.ctx.clock.now() + ms);
const minuteMs = 60_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("SE-06 a coach's division is read over each new tunnel", async () => {
  const { open, asked, questions } = tunnelsOf();
  const [ceiling, zod] = [await sensor("PS.C1"), await sensor()];
  open(ceiling);
  open("00:16:28:00:00:00");
  open(zod);
  const first = await asked(1);
  expect(first).toMatchObject({ id: zod, body: { method: "config.get", params: { section: "group" } } });
  first.answer(groupOf(4));
  await until("stored", async () => (await storedRev(zod)) === 4);
  open(zod);
  (await asked(2)).answer(groupOf(5));
  await until("stored again", async () => (await storedRev(zod)) === 5);
  expect(questions).toHaveLength(2);
});

const many = rounds(100, 300);

test(`SE-06 of ${many} tunnels that open at once eight are read at a time, each once`, async () => {
  const { open, asked, questions } = tunnelsOf();
  const ids: string[] = [];
  for (let n = 0; n < many; n += 1) ids.push(await sensor());
  for (const id of ids) open(id);
  for (const id of ids.slice(many / 2)) open(id);
  await asked(8);
  let most = 0;
  for (let done = 0; done < ids.length; done += 1) {
    const next = await asked(done + 1);
    most = Math.max(most, questions.length - done);
    next.answer(groupOf(1));
  }
  expect(most).toBe(8);
  await until("all are stored", async () => (await Promise.all(ids.map(storedRev))).every((rev) => rev === 1));
  expect(questions.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
});

test("SE-06 it is read again after being set, after a failure, and after an hour", async () => {
  const { open, asked, questions, reading } = tunnelsOf();
  const zod = await sensor();
  open(zod);
  (await asked(1)).fail(new TunnelError("gone", true));
  await settled();
  pass(5 * minuteMs);
  await reading.refresh();
  (await asked(2)).answer({ status: 200, body: Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"rev":1}}') });
  await settled();
  pass(10 * minuteMs);
  await reading.refresh();
  (await asked(3)).answer(groupOf(1));
  await until("stored", async () => (await storedRev(zod)) === 1);
  await reading.refresh();
  const set = (section: string) => world.ctx.bus.emit({ name: "sectionSet", event: { sensorId: zod, section } });
  set("gps");
  set("group");
  (await asked(4)).answer(groupOf(2));
  await until("stored after it was set", async () => (await storedRev(zod)) === 2);
  pass(60 * minuteMs + 1);
  await reading.refresh();
  (await asked(5)).answer(groupOf(3));
  await until("stored after an hour", async () => (await storedRev(zod)) === 3);
  expect(questions.map(({ id }) => id)).toEqual(Array.from({ length: 5 }, () => zod));
});

test("SE-06 responses to a former owner are not stored for the next", async () => {
  const { open, asked, reading } = tunnelsOf();
  const other = await world.account("Other Lines", world.root, fullPermissions);
  const zod = await sensor();
  open(zod);
  const question = await asked(1);
  const reply = await world.call(world.root, "PUT", `/api/sensor/${zod}`, { body: { owner: other.id } });
  expect(reply.status).toBe(200);
  question.answer(groupOf(1));
  await reading.stop();
  expect(await storedRev(zod)).toBeUndefined();
});

test("silent sensors are asked at growing intervals, and at once over a new tunnel", async () => {
  const { open, asked, reading, questions } = tunnelsOf();
  const [silent, old] = [await sensor(), await sensor()];
  /** Number of requests so far. `other` checks that the next request goes to a third sensor, not to one of these two. */
  let known = 0;
  const refuse = async () => {
    for (const question of [await asked(known + 1), await asked(known + 2)])
      if (question.id === silent) question.fail(new TunnelError("late", true, null, "late"));
      else question.answer({ status: 404, body: Buffer.from("Not found") });
    known += 2;
    await settled();
  };
  const other = async () => {
    const id = await sensor();
    open(id);
    const question = await asked(known + 1);
    expect(question.id).toBe(id);
    question.answer(groupOf(1));
    await until("stored", async () => (await storedRev(id)) === 1);
    known += 1;
  };
  open(silent);
  open(old);
  await refuse();
  for (const pauseMs of [5 * minuteMs, 10 * minuteMs, 20 * minuteMs]) {
    pass(pauseMs - 1);
    await reading.refresh();
    await other();
    pass(1);
    await reading.refresh();
    await refuse();
  }
  open(silent);
  open(old);
  await refuse();
  pass(5 * minuteMs);
  await reading.refresh();
  await refuse();
  expect(questions).toHaveLength(known);
});

test("a section that was set is read despite many silent sensors", async () => {
  const { open, asked, questions } = tunnelsOf();
  const zod = await sensor();
  open(zod);
  (await asked(1)).answer(groupOf(1));
  await until("stored", async () => (await storedRev(zod)) === 1);
  for (let n = 0; n < 10; n += 1) open(await sensor());
  await asked(9);
  world.ctx.bus.emit({ name: "sectionSet", event: { sensorId: zod, section: "group" } });
  const question = await asked(10);
  expect(question.id).toBe(zod);
  question.answer(groupOf(2));
  await until("stored after it was set", async () => (await storedRev(zod)) === 2);
  for (const { answer } of questions) answer(groupOf(1));
});

test("stopping does not wait long for silent sensors", async () => {
  const reading = fakeTunnels();
  const confirming = fakeTunnels();
  const stops = [
    readSectionsOverTunnels(world.ctx, reading.tunnels).stop,
    confirmChangesOverTunnels(world.ctx, confirming.tunnels),
  ] as const;
  const zod = await sensor();
  const { num } = await world.ctx.db.selectFrom("sensor").select("num").where("id", "=", zod).executeTakeFirstOrThrow();
  const now = world.ctx.clock.now();
  const change = { section: "group", rev: 2, set_at: new Date(now - minuteMs), until: new Date(now + minuteMs) };
  await storeConfirmation(world.ctx.db, num, change);
  reading.open(zod);
  confirming.open(zod);
  await Promise.all([reading.asked(1), confirming.asked(1)]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const stopping = Promise.all(stops.map((stop) => stop()));
  await vi.advanceTimersByTimeAsync(2_000);
  await stopping;
});
