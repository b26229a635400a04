// Changes the owner of sensors in every way while the former and the new owner read counts. Compares visible counts and events with
// the oracle.
import { toMac } from "@psp/contract/kit/mac.ts";
import type { AccountNode, PermissionsDoc } from "@psp/contract/permission/oracle.testing.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeRecords } from "../count/record/record.store.ts";
import { createChance, pick } from "../testing/chance.ts";
import * as oracle from "../testing/rights/hand-over-oracle.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { createStillClock } from "../testing/snapshot.ts";
import type { Live } from "../testing/live-socket.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import { generateClaimingCode } from "../device/credential/credential.ts";

const handOvers = rounds(14, 1000);
const roundsPerSensor = 25;
const slotMs = 300_000;

const clock = createStillClock();
let world: World;
const people = new Map<AccountNode, Person>();
let dealer: AccountNode;
let holders: AccountNode[];
let shops: oracle.Shop[];
const everySensor: oracle.SensorModel[] = [];

beforeAll(async () => {
  world = await createWorld({ clock });
  dealer = await join("Dealer", null, fullPermissions);
  const north = await join("North", dealer, fullPermissions);
  const south = await join("South", dealer, fullPermissions);
  // Sees the locations of the parent account, but not the parent's sensors.
  const branch = await join("North Branch", north, {
    ...fullPermissions,
    ownable: {
      ...fullPermissions.ownable,
      measurement: { ...fullPermissions.ownable?.measurement, canViewObject: { me: true, relativeAncestorLevel: 1 } },
    },
  });
  holders = [dealer, north, south, branch];
  shops = [];
  for (const owner of [...holders, north]) {
    const body = { name: `Shop ${shops.length}`, owner: owner.id };
    shops.push({ owner, id: (await world.call(of(owner), "POST", "/api/measurement", { body })).id });
  }
});
afterAll(() => world.stop());

async function join(name: string, parent: AccountNode | null, permissions: Permissions): Promise<AccountNode> {
  const person = await world.account(name, parent ? of(parent) : world.root, permissions);
  const role = { id: person.roleId ?? "", deleted: false, permissions: permissions as PermissionsDoc };
  const node: AccountNode = { id: person.id, parent, children: [], role, deleted: false };
  parent?.children.push(node);
  people.set(node, person);
  return node;
}

function of(node: AccountNode): Person {
  const person = people.get(node);
  if (!person) throw new Error("Not one of ours");
  return person;
}

type Story = { sensor: oracle.SensorModel; num: number; heard: Map<AccountNode, string[]> };
const slotNow = () => Math.floor(clock.now() / slotMs) * slotMs;

async function newSensor(n: number, owner: AccountNode): Promise<Story> {
  const id = toMac(0x020a_4d00_0000 + n);
  const body = { _id: id, owner: owner.id, type: "APS" };
  expect((await world.call(of(owner), "POST", "/api/sensor", { body })).status).toBe(200);
  const { num } = await world.ctx.db
    .updateTable("sensor")
    .set({ claiming_code: generateClaimingCode() })
    .where("id", "=", id)
    .returning("num")
    .executeTakeFirstOrThrow();
  const sensor: oracle.SensorModel = { id, owner, cameMs: null, shop: null, wasPlaced: false, counts: [] };
  everySensor.push(sensor);
  return { sensor, num, heard: new Map(holders.map((node) => [node, []])) };
}

async function count({ sensor, num }: Story, n: number): Promise<void> {
  const s = slotNow();
  clock.moveTo(s + slotMs);
  const stored = { num, id: sensor.id, ownerId: sensor.owner.id, locationId: sensor.shop?.id ?? null };
  const lines = [{ id: "door", name: "Door", in: n, out: 0 }];
  const record = { q: 1, t: "count", s, e: s + slotMs, lines, osd: 0 } as const;
  await world.ctx.db
    .transaction()
    .execute((tx) => storeRecords(tx, clock.now(), [{ sensor: stored, record, via: "live" } as never]));
  sensor.counts.push({ startMs: s, n, shop: sensor.shop });
}

const ways = ["put", "put named", "batch", "batch named", "claim", "move", "leave", "take back"] as const;
type Way = (typeof ways)[number];
type Deed = { to: AccountNode; named: oracle.Shop | null | undefined; ask: () => Promise<number> };

function deedOf(
  way: Way,
  { sensor }: Story,
  before: { owner: AccountNode; shop: oracle.Shop | null },
  luck: Luck,
): Deed {
  const path = `/api/sensor/${sensor.id}`;
  const put = async (changes: JsonObject) => (await world.call(of(dealer), "PUT", path, { body: changes })).status;
  const batch = async (changes: JsonObject) => {
    const body = { sensorIDs: [sensor.id], changes };
    const { success, fail } = (await world.call(of(dealer), "PUT", "/api/v2/sensor/batch-update", { body })).body as {
      success: number;
      fail: { errMessage: string }[];
    };
    return success === 1 ? 200 : fail[0]?.errMessage === "Not found." ? 404 : 0;
  };
  const to = pick(holders, luck);
  const shop = pick(shops, luck);
  if (way === "put") return { to, named: undefined, ask: () => put({ owner: to.id }) };
  if (way === "put named") return { to, named: shop, ask: () => put({ owner: to.id, measID: shop.id }) };
  if (way === "batch") return { to, named: undefined, ask: () => batch({ owner: to.id }) };
  if (way === "batch named") return { to, named: shop, ask: () => batch({ owner: to.id, measID: shop.id }) };
  if (way === "move") return { to: sensor.owner, named: shop, ask: () => put({ measID: shop.id }) };
  if (way === "leave") return { to: sensor.owner, named: null, ask: () => put({ measID: null }) };
  if (way === "take back") {
    const changes = { owner: before.owner.id, ...(before.shop ? { measID: before.shop.id } : {}) };
    return { to: before.owner, named: before.shop ?? undefined, ask: () => batch(changes) };
  }
  // Claiming another account's sensor removes it from its location.
  return { to, named: to === sensor.owner ? undefined : null, ask: () => claimFor(to, sensor.id) };
}

/** The dealer makes the sensor claimable, and `to` claims it. Claiming one's own sensor keeps its location. */
async function claimFor(to: AccountNode, id: string): Promise<number> {
  const opened = await world.call(of(dealer), "PUT", `/api/sensor/${id}`, { body: { claimable: true } });
  const body = { sensors: [{ id, type: "APS", claimingCode: opened.at("claimingCode") }] };
  return (await world.call(of(to), "POST", "/api/claim/", { body })).status;
}

type Luck = ReturnType<typeof createChance>;
const starts = (rows: readonly JsonObject[]) =>
  rows.map((row) => Date.parse(String(row["startUTC"]))).toSorted((a, b) => a - b);
const startsOf = (counts: readonly oracle.CountedAt[]) => counts.map(({ startMs }) => startMs);
const days = () => `2026-01-01,${new Date(clock.now() + 86_400_000).toISOString().slice(0, 10)}`;
const range = () => `from=2020-01-01T00:00:00Z&to=${new Date(clock.now() + slotMs).toISOString()}`;

async function sees(viewer: AccountNode, { sensor }: Story, label: string): Promise<void> {
  const who = of(viewer);
  const expected = oracle.visibleCountsOfSensor(viewer, sensor);
  const get = (path: string) => world.call(who, "GET", path);
  const [list, file, sums, page] = await Promise.all([
    get(`/api/sensor/${sensor.id}/datapoints?type=counting&limit=500`),
    get(`/data/v2/download/json?filter=sens:${sensor.id}:counting&${range()}`),
    get(`/data/v2/aggregate/json?filter=sens:${sensor.id}:counting&acc=total&${range()}`),
    get(`/api/v2/counts?filter=sens:${sensor.id}&range=${days()}`),
  ]);
  if (expected === null) {
    expect([list.code, file.code, sums.code, page.code], label).toEqual([105, 105, 105, 105]);
  } else {
    expect(starts(list.list), `${label}: list`).toEqual(startsOf(expected));
    expect(starts(file.list), `${label}: download`).toEqual(startsOf(expected));
    expect(sumOf(sums.list), `${label}: sum`).toBe(expected.reduce((sum, one) => sum + one.n, 0));
    expect(page.at("total.in"), `${label}: page`).toBe(peopleOf(expected));
  }
}

const peopleOf = (counts: readonly oracle.CountedAt[]) =>
  counts.length === 0 ? null : counts.reduce((sum, one) => sum + one.n, 0);

async function seesOfShop(viewer: AccountNode, shop: oracle.Shop, label: string): Promise<void> {
  const seen = everySensor.map((sensor) => oracle.visibleCountsOfShop(viewer, sensor, shop));
  const who = of(viewer);
  const page = await world.call(who, "GET", `/api/v2/counts?filter=meas:${shop.id}&range=${days()}`);
  const rows = await world.call(who, "GET", `/api/v2/counts/locations?ids=${shop.id}&range=${days()}`);
  if (seen.includes(null)) {
    expect([page.code, rows.list], label).toEqual([105, []]);
    return;
  }
  const people = peopleOf(seen.flatMap((counts) => counts ?? []));
  expect([page.at("total.in"), rows.at("objects.0.in")], label).toEqual([people, people]);
}

async function seesAt(viewer: AccountNode, { sensor }: Story, shop: oracle.Shop, label: string): Promise<void> {
  const expected = oracle.visibleCountsOfShop(viewer, sensor, shop);
  const path = `/api/measurement/${shop.id}/datapoints?type=counting&limit=500&sens=${sensor.id}`;
  const reply = await world.call(of(viewer), "GET", path);
  if (expected === null) expect(reply.code, label).toBe(105);
  else expect(starts(reply.list), label).toEqual(startsOf(expected));
}

function sumOf(rows: readonly JsonObject[]): number {
  return rows.reduce((sum, row) => sum + Number((row["data"] as JsonObject)["in"]), 0);
}

/** A read during a change of owner must return the counts from before or after it, and nothing else. */
async function within(
  viewer: AccountNode,
  story: Story,
  before: Set<number>,
  reads: Promise<JsonObject[]>[],
): Promise<void> {
  const after = new Set(startsOf(oracle.visibleCountsOfSensor(viewer, story.sensor) ?? []));
  for (const rows of await Promise.all(reads))
    for (const start of starts(rows)) expect(before.has(start) || after.has(start)).toBe(true);
}

function readsOf(viewer: AccountNode, { sensor }: Story): Promise<JsonObject[]>[] {
  const paths = [
    `/api/sensor/${sensor.id}/datapoints?type=counting&limit=500`,
    `/data/v2/download/json?filter=sens:${sensor.id}:counting&${range()}`,
  ];
  return paths.map(async (path) => {
    const reply = await world.call(of(viewer), "GET", path).catch(() => null);
    return reply?.status === 200 ? reply.list : [];
  });
}

test(
  `SE-13 CL-04 T-13 ${handOvers} random hand-overs: visible counts match the oracle`,
  { timeout: rounds(300_000, 3_600_000) },
  async () => {
    const luck = createChance(seedOf(10));
    const sockets = new Map<AccountNode, Live>();
    for (const node of holders) sockets.set(node, await world.live(of(node)));
    const met = new Map<string, number>();
    const note = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);
    let story = await newSensor(0, pick(holders, luck));
    let before = { owner: story.sensor.owner, shop: story.sensor.shop };
    for (let round = 0; round < handOvers; round += 1) {
      if (round % roundsPerSensor === 0) {
        story = await newSensor(1 + round / roundsPerSensor, pick(holders, luck));
        before = { owner: story.sensor.owner, shop: story.sensor.shop };
      }
      const { sensor } = story;
      await count(story, 1 + luck.below(9));
      if (luck.below(3) > 0) await count(story, 1 + luck.below(9));
      const way = pick(ways, luck);
      const { to, named, ask } = deedOf(way, story, before, luck);
      const former = sensor.owner;
      const label = `round ${round}: ${way} of ${sensor.id} to ${of(to).name}`;
      const looking = [former, to].map((viewer) => ({
        viewer,
        was: new Set(startsOf(oracle.visibleCountsOfSensor(viewer, sensor) ?? [])),
        reads: readsOf(viewer, story),
      }));
      const status = await ask();
      const refused = former !== to && named && !oracle.mayHave(to, named);
      expect(status, label).toBe(refused ? 404 : 200);
      note(refused ? "refused" : former === to ? "stays" : way);
      if (!refused) {
        before = { owner: former, shop: sensor.shop };
        oracle.handOver(sensor, to, clock.now(), named);
        for (const node of holders) {
          const [had, has] = [former, to].map((owner) => oracle.maySee(node, owner));
          if (has || had) story.heard.get(node)?.push(has ? "update" : "delete");
        }
      }
      for (const { viewer, was, reads } of looking) await within(viewer, story, was, reads);
      for (const viewer of new Set([former, to, pick(holders, luck)])) {
        await sees(viewer, story, `${label}: ${of(viewer).name}`);
        const shop = pick(shops, luck);
        await seesAt(viewer, story, shop, `${label}: ${of(viewer).name} at ${shop.id}`);
        await seesOfShop(viewer, shop, `${label}: ${of(viewer).name} of ${shop.id}`);
      }
    }
    for (const way of ["put", "put named", "batch", "batch named", "claim", "take back", "refused"])
      expect(met.get(way) ?? 0, way).toBeGreaterThan(handOvers / 50);
    for (const node of holders) {
      const last = story.heard.get(node)?.at(-1);
      if (last === undefined) continue;
      const frames = () => sockets.get(node)?.frames.filter(({ obj }) => obj?.["_id"] === story.sensor.id) ?? [];
      await expect.poll(() => frames().at(-1)?.op).toBe(last);
    }
  },
);
