// Tests the endpoint of the test clock, and the jobs that become due when the clock moves.
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type Reply, type World } from "../testing/world.ts";

const day = 86_400_000;
let world: World;
beforeAll(async () => void (world = await createWorld({ env: { PARTS: "api,worker", TEST_CLOCK: "on" } })));
afterAll(() => world.stop());

const answer = (reply: Reply) => [reply.status, reply.code];
const put = (body: unknown) => world.call(null, "PUT", "/dev/clock", { body });
const now = async () => Date.parse(String((await world.call(null, "GET", "/dev/clock")).at("now")));

test("the test clock only moves forward and refuses invalid times with the catalog's codes", async () => {
  const before = await now();
  const there = new Date(before + day).toISOString();
  const moved = await put({ now: there });
  expect(Date.parse(String(moved.at("now")))).toBeGreaterThanOrEqual(before + day);
  await put({ now: new Date(before).toISOString() });
  expect(await now()).toBeGreaterThanOrEqual(before + day);
  expect(answer(await put({}))).toEqual([400, 104]);
  expect(answer(await put({ now: "tomorrow" }))).toEqual([400, 102]);
  expect(answer(await put("{"))).toEqual([400, 102]);
  for (const body of [{ now: true }, { now: null }, { now: there, zone: "UTC" }, []])
    expect(answer(await put(body)), JSON.stringify(body)).toEqual([400, 402]);
});

test("LI-01 an idle socket is closed with 4401 when its session expires", async () => {
  const token = await world.token(world.root);
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${token}`);
  const ended = new Promise<number>((resolve) => void socket.once("close", resolve));
  await new Promise((resolve, reject) => void socket.once("message", resolve).once("error", reject));
  expect((await put({ now: (await now()) + 8 * day })).status).toBe(200);
  expect(await ended).toBe(4401);
});
