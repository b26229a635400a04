// Tests the live socket over the wire: admission, recipients, missed changes, and a restart in between.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rawRequest } from "../testing/requests/raw-http.ts";
import type { LiveFrame } from "../testing/live-socket.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
let viewer: Person;
let stranger: Person;

beforeAll(async () => {
  world = await createWorld({ env: { SOCKETS_PER_SESSION: "20", SOCKETS_PER_ACCOUNT: "30" } });
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
  const upwards = { me: true, relativeAncestorLevel: 1 };
  viewer = await world.account("Viewer", customer, { ownable: { sensor: { canViewObject: upwards } } });
  stranger = await world.account("Other Customer", world.root, fullPermissions);
});
afterAll(() => world.stop());

let last = 0;
const freshMac = () => toMac(0x0200_0000_0b00 + (last += 1));
async function made(owner: Person): Promise<string> {
  const body = { _id: freshMac(), owner: owner.id, type: "APS" };
  return (await world.call(world.root, "POST", "/api/sensor", { body })).id;
}
async function changed(id: string, group: string): Promise<void> {
  const reply = await world.call(world.root, "PUT", `/api/sensor/${id}`, { body: { groups: [group] } });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
}

/** Opens a socket and returns its frames up to hello or resync. */
function greeted(who: Person, since?: string, url = world.url): Promise<LiveFrame[]> {
  const query = since === undefined ? "" : `&since=${since}`;
  const socket = new WebSocket(`${url.replace("http", "ws")}/live?token=${who.token}${query}`);
  const frames: LiveFrame[] = [];
  return new Promise<LiveFrame[]>((resolve, reject) => {
    AbortSignal.timeout(60_000).addEventListener("abort", () => reject(new Error("no greeting within a minute")));
    socket.addEventListener("error", () => reject(new Error("refused")));
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as LiveFrame;
      frames.push(frame);
      if (frame.type === "hello" || frame.type === "resync") resolve(frames);
    });
  }).finally(() => socket.close());
}

test("LI-01 no socket without a valid token", async () => {
  await expect(greeted({ ...customer, token: "" })).rejects.toThrow("refused");
  await expect(greeted({ ...customer, token: "x".repeat(43) })).rejects.toThrow("refused");
  expect((await greeted(customer)).map(({ type }) => type)).toEqual(["hello"]);
});

test("LI-01 T-12 sockets are limited per session and account", async () => {
  const greedy = await world.account("Greedy", customer, fullPermissions);
  const again = { ...greedy, token: await world.token(greedy) };
  const third = { ...greedy, token: await world.token(greedy) };
  const held = await Promise.all(Array.from({ length: 20 }, () => world.live(greedy)));
  await expect(greeted(greedy)).rejects.toThrow("refused");
  const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const path = `/live?token=${greedy.token}`;
  const key = { "sec-websocket-key": Buffer.alloc(16).toString("base64") };
  const refused = await rawRequest(world.url, "GET", path, { headers: { ...headers, ...key } });
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "10"]);
  held.push(...(await Promise.all(Array.from({ length: 10 }, () => world.live(again)))));
  await expect(greeted(third)).rejects.toThrow("refused");
  expect((await greeted(customer)).map(({ type }) => type)).toEqual(["hello"]);
  held[0]?.close();
  await expect
    .poll(() =>
      greeted(third).then(
        (frames) => frames.length,
        () => 0,
      ),
    )
    .toBe(1);
  for (const one of held) one.close();
});

test("LI-01 a change has type, op and object as the receiver may see it", async () => {
  const ears = { viewer: await world.live(viewer), stranger: await world.live(stranger) };
  const id = await made(customer);
  const reported = await ears.viewer.heard("sensor", "create", id);
  expect(reported.obj).toEqual((await world.call(viewer, "GET", `/api/sensor/${id}`)).body);
  await changed(id, "north");
  expect((await ears.viewer.heard("sensor", "update", id)).obj).toMatchObject({
    groups: ["north"],
    claimingCode: null,
  });
  await world.call(world.root, "PUT", `/api/sensor/${id}`, { body: { owner: stranger.id } });
  expect((await ears.viewer.heard("sensor", "delete", id)).obj).toEqual({ _id: id });
  await ears.stranger.heard("sensor", "update", id);
  expect(ears.stranger.frames.filter(({ obj }) => obj?.["_id"] === id)).toHaveLength(1);
});

test("LI-01 a resuming client gets missed changes once per object, if visible", async () => {
  const [hello] = await greeted(viewer);
  const [one, foreign] = [await made(customer), await made(stranger)];
  for (const group of ["a", "b", "c"]) await changed(one, group);
  await changed(foreign, "x");
  const frames = await greeted(viewer, hello?.cursor);
  expect(frames.map(({ type, op, obj }) => [type, op, obj?.["_id"], obj?.["groups"]])).toEqual([
    ["sensor", "create", one, ["c"]],
    ["hello", undefined, undefined, undefined],
  ]);
  const again = await greeted(viewer, frames.at(-1)?.cursor);
  expect(again.map(({ type }) => type)).toEqual(["hello"]);
});

test("LI-01 numbers are per connection; neither they nor cursors reveal others' activity", async () => {
  const ear = await world.live(viewer);
  const cursors: string[] = [];
  for (const group of ["a", "b"]) {
    const foreign = await made(stranger);
    for (let n = 0; n < 5; n += 1) await changed(foreign, `${group}${n}`);
    const id = await made(customer);
    cursors.push((await ear.heard("sensor", "create", id)).cursor);
  }
  expect(ear.frames.map(({ seq }) => seq)).toEqual(ear.frames.map((_, n) => n + 1));
  expect(cursors.map((cursor) => Buffer.from(cursor, "base64url").length)).toEqual([108, 108]);
  // Cursors of the same position differ completely.
  const [one, other] = [(await greeted(viewer))[0]?.cursor ?? "", (await greeted(viewer))[0]?.cursor ?? ""];
  expect(one).not.toBe(other);
  expect(one.slice(0, 16)).not.toBe(other.slice(0, 16));
  ear.close();
});

test("LI-01 T-02 a number or an invalid cursor makes the client reload", async () => {
  const [hello] = await greeted(viewer);
  const cursor = hello?.cursor ?? "";
  const seq = String(hello?.seq);
  const flipped = (at: number) => `${cursor.slice(0, at)}${cursor[at] === "A" ? "B" : "A"}${cursor.slice(at + 1)}`;
  const theirs = (await greeted(stranger))[0]?.cursor ?? "";
  await made(customer);
  const forged = ["", "0", seq, "17", "-1", "abc", "9".repeat(20), cursor.slice(0, -1), `${cursor}A`, `${cursor}=`];
  const others = [flipped(0), flipped(20), flipped(47), theirs, "A".repeat(48), "%00", "x".repeat(4000)];
  await Promise.all(
    [...forged, ...others].map(async (since) =>
      expect(
        (await greeted(viewer, since)).map(({ type }) => type),
        since,
      ).toEqual(["resync"]),
    ),
  );
  expect((await greeted(viewer, cursor)).map(({ type }) => type)).toEqual(["sensor", "hello"]);
});
