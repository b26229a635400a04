// Tests on random trees that a changed object reaches exactly the accounts that may view it, and that an account that may no longer
// view it gets a delete.
import { toMac } from "@psp/contract/kit/mac.ts";
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  kinds,
  mayDo,
  mayActOnAccount,
  maySeeFirmware,
  type PermissionsDoc,
} from "@psp/contract/permission/oracle.testing.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { plantForest, sealTokens, signInAll, objectIdsOf } from "../testing/rights/account-forest.ts";
import { until } from "../testing/devices/device-world.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import type { LiveFrame } from "../testing/live-socket.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";

let world: World;
beforeAll(async () => void (world = await createWorld({ clock: createStillClock() })));
afterAll(() => world.stop());

const types = ["sensor", "measurement", "role", "init-token", "artifact"] as const;
type Type = (typeof types)[number];
const listPath: Record<Type, string> = {
  sensor: "/api/v2/sensor",
  measurement: "/api/v2/measurement",
  role: "/api/role",
  "init-token": "/api/init_token",
  artifact: "/api/artifact",
};
const pathOf = (type: Type) => listPath[type].replace("/v2", "");

type Thing = { type: Type; id: string; owner: AccountNode; opened: boolean };

function sees(asker: AccountNode, { type, owner, opened }: Thing): boolean {
  if (type === "artifact") return maySeeFirmware(asker, { owner, childrenCanView: opened });
  return mayDo(asker, "view", type === "init-token" ? "sensor" : type, owner);
}

/** A client with a mirror of the objects that it received, first from lists, then from frames. */
type Ear = {
  node: AccountNode;
  person: Person;
  socket: WebSocket;
  frames: LiveFrame[];
  cursor: string;
  texts: string[];
  mirror: Map<string, JsonObject>;
  resyncs: number;
};

const key = (type: string, id: unknown) => `${type} ${String(id)}`;
/** Removes presence and secrets, which differ between lists and live messages. */
function plain(row: JsonObject): JsonObject {
  const { token: _, owner, ...rest } = row;
  const { status: __, ...ref } = owner as JsonObject;
  return { ...rest, owner: ref };
}

async function listsOf(person: Person): Promise<Map<string, JsonObject>> {
  const all = new Map<string, JsonObject>();
  for (const type of types) {
    const { list } = await world.call(person, "GET", `${listPath[type]}?limit=500`);
    for (const row of list) all.set(key(type, row["_id"]), plain(row));
  }
  return all;
}

async function open(ear: Ear, since: string | null): Promise<void> {
  const { ticket } = (await world.call(ear.person, "POST", "/api/auth/ticket")).body as { ticket: string };
  const query = since === null ? "" : `&since=${since}`;
  const socket = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${ticket}${query}`);
  ear.socket = socket;
  let greeted = false;
  let seq = 0;
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as LiveFrame;
    ear.texts.push(data.toString());
    expect(frame.seq).toBe((seq += 1));
    ear.cursor = frame.cursor;
    if (frame.type === "hello") greeted = true;
    else if (frame.type === "resync") ear.resyncs += 1;
    else ear.frames.push(frame);
    if (!types.includes(frame.type as Type) || !frame.obj) return;
    if (frame.op === "delete") ear.mirror.delete(key(frame.type, frame.obj["_id"]));
    else ear.mirror.set(key(frame.type, frame.obj["_id"]), plain(frame.obj));
  });
  await until("the greeting", () => greeted);
}

type Stage = {
  forest: Forest;
  root: Person;
  rootNode: AccountNode;
  ears: Ear[];
  things: Thing[];
  bell: string;
  rings: number;
};

async function raise(forest: Forest): Promise<Stage> {
  const [rootNode, first] = [forest.accounts[0] as AccountNode, forest.roles[0] as Forest["roles"][number]];
  Object.assign(first, { permissions: fullPermissions as PermissionsDoc, deleted: false });
  Object.assign(rootNode, { role: first, deleted: false });
  const planted = await plantForest(world.ctx.db, forest);
  await sealTokens(world.ctx, forest);
  await sql`update sensor set claiming_code = 'C' || substr(wire_id, 6)`.execute(world.ctx.db);
  const tokens = await signInAll(world.ctx, planted);
  world.server.sessions.forget();
  const as = (node: AccountNode): Person => ({ ...world.root, id: node.id, token: tokens.get(node) ?? "" });
  const things = forest.accounts.flatMap((owner, n): Thing[] => {
    const { sensor, location, role, initToken, firmware, firmwareForChildren } = objectIdsOf(n);
    const made = (type: Type, id: string, opened = false) => ({ type, id, owner, opened });
    return [
      made("sensor", sensor),
      made("measurement", location),
      made("role", role),
      made("init-token", initToken),
      made("artifact", firmware),
      made("artifact", firmwareForChildren, true),
    ];
  });
  const bell = things.find(({ type, owner, opened }) => type === "artifact" && owner === rootNode && opened)?.id ?? "";
  const stage: Stage = {
    forest,
    root: as(rootNode),
    rootNode,
    ears: [],
    things: things.filter(({ id }) => id !== bell),
    bell,
    rings: 0,
  };
  for (const node of tokens.keys()) {
    const ear: Ear = {
      node,
      person: as(node),
      socket: null as never,
      frames: [],
      cursor: "",
      texts: [],
      mirror: new Map(),
      resyncs: 0,
    };
    await open(ear, null);
    ear.mirror = await listsOf(ear.person);
    stage.ears.push(ear);
  }
  return stage;
}

const hasRole = ({ node }: Ear) => node.role !== null && !node.role.deleted;

/** Changes an object that every account with a role can view, and waits for its frame, which arrives after all earlier frames. */
async function ring(stage: Stage): Promise<void> {
  const name = `9.9.${(stage.rings += 1)}`;
  expect((await world.call(stage.root, "PUT", `/api/artifact/${stage.bell}`, { body: { name } })).status).toBe(200);
  for (const ear of stage.ears.filter((one) => hasRole(one) && one.socket.readyState === WebSocket.OPEN)) {
    await until("the bell", () => ear.frames.some(({ obj }) => obj?.["name"] === name));
  }
}

function nextPresenceOf({ id }: AccountNode): Promise<void> {
  return new Promise((resolve) => {
    const off = world.ctx.bus.on("entityChanged", (event) => {
      if (event.id !== id || !event.presence) return;
      off();
      resolve();
    });
  });
}

type Change = { id: string; type: Type; before: Thing | null; after: Thing | null };

async function change(stage: Stage, draw: (n: number) => number, serial: number): Promise<Change> {
  const living = stage.forest.accounts.filter(({ deleted }) => !deleted);
  const owner = living[draw(living.length)] as AccountNode;
  const send = async (method: string, path: string, body?: JsonObject) => {
    const reply = await world.call(stage.root, method, path, body ? { body } : {});
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBe(200);
    return reply;
  };
  const kind = draw(8);
  if (kind === 0) {
    const type = types[draw(4)] as Type;
    const body =
      type === "sensor"
        ? { _id: toMac(0x0200_0001_0000 + serial), owner: owner.id, type: "APS" }
        : { name: `Made ${serial}`, owner: owner.id };
    const after = { type, id: (await send("POST", pathOf(type), body)).id, owner, opened: false };
    stage.things.push(after);
    return { ...after, before: null, after };
  }
  const before = stage.things[draw(stage.things.length)] as Thing;
  const path = `${pathOf(before.type)}/${before.id}`;
  if (kind === 1) {
    await send("DELETE", path);
    stage.things = stage.things.filter((one) => one !== before);
    return { ...before, before, after: null };
  }
  const after = { ...before };
  const body: JsonObject =
    before.type === "sensor"
      ? { groups: [`g${serial}`] }
      : { name: before.type === "artifact" ? `1.${serial}.0` : `Named ${serial}` };
  if (kind < 5) {
    after.owner = owner;
    body["owner"] = owner.id;
  } else if (before.type === "artifact") {
    after.opened = kind === 5;
    body["objPerm"] = { childrenCanViewObject: after.opened };
  }
  await send("PUT", path, body);
  stage.things[stage.things.indexOf(before)] = after;
  return { ...before, before, after };
}

function chance(seed: number) {
  let state = seed;
  return (n: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % n;
  };
}

async function lower(stage: Stage, mayReload = false): Promise<void> {
  if (!mayReload) expect(stage.ears.map(({ resyncs }) => resyncs)).toEqual(stage.ears.map(() => 0));
  for (const { socket } of stage.ears) socket.terminate();
  await until("all sockets gone", () => stage.ears.every(({ node }) => world.ctx.presences.of(node.id) === 0));
}

const [trees, storms] = [rounds(1, 6), rounds(1, 4)];
const forests = () =>
  fc.sample(forestArbitrary({ minAccounts: 8, maxAccounts: 11, maxRoles: 5 }), { seed: 21, numRuns: trees });

test(
  "LI-01 each change reaches exactly its viewers, and former viewers get a delete",
  { timeout: 300_000 },
  async () => {
    const draw = chance(99);
    const counts = { shown: 0, taken: 0, kept: 0 };
    for (const forest of forests()) {
      const stage = await raise(forest);
      const secrets = (await world.call(stage.root, "GET", "/api/init_token?limit=500")).list.map((row) =>
        String(row["token"]),
      );
      for (let serial = 1; serial <= 40; serial += 1) {
        for (const ear of stage.ears) ear.frames.length = 0;
        const { id, type, before, after } = await change(stage, draw, serial);
        await ring(stage);
        for (const ear of stage.ears) {
          const about = ear.frames.filter((frame) => frame.type === type && frame.obj?.["_id"] === id);
          const [could, can] = [before !== null && sees(ear.node, before), after !== null && sees(ear.node, after)];
          const wanted = can ? [before === null ? "create" : "update"] : could ? ["delete"] : [];
          const label = `${type} ${id} for ${ear.node.id} ${JSON.stringify(ear.node.role)}`;
          expect(
            about.map(({ op }) => op),
            label,
          ).toEqual(wanted);
          if (wanted[0] === "delete") expect(about[0]?.obj, label).toEqual({ _id: id });
          counts[can ? "shown" : could ? "taken" : "kept"] += 1;
          const strange = ear.frames.filter(
            (frame) => frame.type !== "account" && frame.obj?.["_id"] !== id && frame.obj?.["_id"] !== stage.bell,
          );
          expect(strange, label).toEqual([]);
        }
      }
      for (const ear of stage.ears) {
        expect(Object.fromEntries(ear.mirror), ear.node.id).toEqual(Object.fromEntries(await listsOf(ear.person)));
        if (!hasRole(ear))
          expect(
            ear.texts.filter((text) => !text.startsWith('{"type":"hello"')),
            "without a role",
          ).toEqual([]);
        const text = ear.texts.join("\n");
        for (const secret of secrets) expect(text.includes(secret), "an init token's value in a frame").toBe(false);
      }
      await lower(stage);
    }
    expect(counts.shown).toBeGreaterThan(50 * trees);
    expect(counts.taken).toBeGreaterThan(5 * trees);
    expect(counts.kept).toBeGreaterThan(50 * trees);
  },
);

test(
  "LI-01 a client that resumes during many changes matches the lists afterwards",
  { timeout: 300_000, tags: "prove" },
  async () => {
    const draw = chance(7);
    let missed = 0;
    for (const forest of forests().slice(0, storms)) {
      const stage = await raise(forest);
      let serial = 0;
      for (let round = 0; round < 4; round += 1) {
        await ring(stage);
        const away = stage.ears.filter((_, n) => (n + round) % 3 !== 0);
        for (const { socket } of away) socket.terminate();
        await until("they are gone", () => away.every(({ node }) => world.ctx.presences.of(node.id) === 0));
        for (let n = 0; n < 10; n += 1) await change(stage, draw, (serial += 1));
        const receivedBefore = away.map(({ frames }) => frames.length);
        const storm = (async () => {
          for (let n = 0; n < 10; n += 1) await change(stage, draw, (serial += 1));
        })();
        await Promise.all(away.map((ear) => open(ear, ear.cursor)));
        await storm;
        await ring(stage);
        missed += away.reduce((sum, { frames }, n) => sum + frames.length - (receivedBefore[n] ?? 0), 0);
        for (const ear of stage.ears) {
          expect(Object.fromEntries(ear.mirror), ear.node.id).toEqual(Object.fromEntries(await listsOf(ear.person)));
        }
      }
      await lower(stage);
    }
    expect(missed).toBeGreaterThan(50 * storms);
  },
);

test(
  "LI-01 a changed role deletes the account for former viewers and reloads its holder",
  { timeout: 300_000 },
  async () => {
    const draw = chance(5);
    const counts = { shown: 0, taken: 0, resyncs: 0, kept: 0 };
    for (const forest of forests()) {
      // Replaces the random permissions, because their scopes hardly ever depend on a single role.
      for (const [n, role] of forest.roles.entries()) {
        const [one, another] = [1, 2].map((step) => forest.roles[(n + step) % forest.roles.length]?.id ?? "");
        const permissions = {
          owner: { canViewOwner: { me: true, roles: [one] } },
          ownable: { sensor: { canViewObject: { roles: [another] } } },
        } as PermissionsDoc;
        Object.assign(role, { permissions, deleted: false });
      }
      const stage = await raise(forest);
      for (let turn = 0; turn < 12; turn += 1) {
        const choices = forest.accounts.filter((node) => !node.deleted && node !== stage.rootNode);
        const node = choices[draw(choices.length)] as AccountNode;
        const roles = forest.roles.filter((role) => !role.deleted && role !== node.role);
        const role = roles[draw(Math.max(1, roles.length))];
        if (!role) continue;
        const others = stage.ears.filter((ear) => ear.node !== node);
        const seenBy = (ear: Ear) => ({
          account: mayActOnAccount(ear.node, "view", node),
          things: kinds.map((kind) => mayDo(ear.node, "view", kind, node)).join(),
        });
        const before = new Map(others.map((ear) => [ear, seenBy(ear)]));
        for (const ear of stage.ears) Object.assign(ear, { resyncs: 0 }).frames.length = 0;
        const own = stage.ears.find((ear) => ear.node === node);
        const absence = own && nextPresenceOf(node);
        const reply = await world.call(stage.root, "PUT", `/api/account/${node.id}`, { body: { role: role.id } });
        expect(reply.status, JSON.stringify(reply.body)).toBe(200);
        node.role = role;
        own?.socket.terminate();
        // Waits for the presence event, which would otherwise fall into the next turn.
        await absence;
        stage.ears = others;
        await ring(stage);
        for (const ear of others) {
          const [was, is] = [before.get(ear), seenBy(ear)];
          const label = `${node.id} for ${ear.node.id} ${JSON.stringify(ear.node.role)}`;
          const about = ear.frames.filter(({ type, obj }) => type === "account" && obj?.["_id"] === node.id);
          // The account's socket may have reconnected, which sends its viewers one more update.
          const ops = [...new Set(about.map(({ op }) => op))];
          expect(ops, label).toEqual(is.account ? ["update"] : was?.account ? ["delete"] : []);
          expect(ear.resyncs, label).toBe(was?.things === is.things ? 0 : 1);
          counts[is.account ? "shown" : was?.account ? "taken" : "kept"] += 1;
          counts.resyncs += ear.resyncs;
        }
      }
      await lower(stage, true);
    }
    expect(Math.min(counts.shown, counts.kept, counts.taken, counts.resyncs), JSON.stringify(counts)).toBeGreaterThan(
      3 * trees,
    );
  },
);

test("LI-01 resuming with any number gives everything after it and nothing before", async () => {
  const [forest] = forests();
  const stage = await raise(forest as Forest);
  const witness = stage.ears.find(({ node }) => node === stage.rootNode) as Ear;
  witness.frames.length = 0;
  for (let n = 1; n <= 6; n += 1) {
    const body = { _id: toMac(0x0200_0002_0000 + n), owner: stage.root.id, type: "ZOD" };
    const { id } = await world.call(stage.root, "POST", "/api/sensor", { body });
    await until("the new sensor", () => witness.frames.some(({ obj }) => obj?.["_id"] === id));
  }
  const reported = witness.frames.filter(({ type, op }) => type === "sensor" && op === "create");
  expect(reported).toHaveLength(6);
  for (const [n, { cursor }] of reported.entries()) {
    const late: Ear = { ...witness, frames: [], texts: [], cursor, mirror: new Map(), resyncs: 0 };
    await open(late, cursor);
    const sensors = late.frames.filter(({ type }) => type === "sensor");
    expect(
      sensors.map((frame) => frame.obj?.["_id"]),
      `after ${n + 1}`,
    ).toEqual(reported.slice(n + 1).map((frame) => frame.obj?.["_id"]));
    late.socket.terminate();
  }
  await lower(stage);
});
