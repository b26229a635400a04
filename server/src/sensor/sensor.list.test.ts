// Compares the query language of the sensor list with a simple in-memory filter, for random sensors of several owners
// (SE-02).
import { createHash } from "node:crypto";
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";

const hour = 3_600_000;
const types = ["APS", "PS.C1", "ZOD"] as const;
const versions = ["1.2.3", "1.2.3-beta.1", "2.0.0"];
const installations = ["waiting", "installing", "done", "failed", "canceled"] as const;
const groupNames = ["north", "North", "entrance hall", "50% off", "a_b", "Größe"];

type Known = {
  id: string;
  owner: Person;
  type: (typeof types)[number];
  location: string | null;
  running: number | null;
  assigned: number | null;
  tasked: number | null;
  groups: string[];
  claimable: boolean;
  licensed: boolean;
  flagged: boolean;
  silent: boolean;
  contactAgo: number | null;
  installation: (typeof installations)[number] | null;
  deleted: boolean;
};

let world: World;
let people: Person[];
let looker: Person;
let locations: string[];
let firmware: string[];
let all: Known[];

beforeAll(async () => {
  world = await createWorld({ clock: createStillClock(), env: { PAGE_SIZE: "7" } });
  looker = await world.account("Looker", world.root, fullPermissions);
  const child = await world.account("Child", looker, null);
  people = [
    looker,
    child,
    await world.account("Grandchild", child, null),
    await world.account("Stranger", world.root, fullPermissions),
  ];
  const make = async (owner: Person, name: string) =>
    (await world.call(world.root, "POST", "/api/measurement", { body: { name, owner: owner.id } })).id;
  locations = [await make(looker, "Hall"), await make(child, "Shop")];
  firmware = [];
  for (const version of versions) firmware.push(await world.firmware(looker, "APS", version));
  all = Array.from({ length: 140 }, (_, n) => known(n));
  for (const one of all) await plant(one);
});
afterAll(() => world.stop());

function pick<T>(n: number, question: string, from: readonly T[]): T {
  return from[createHash("sha256").update(`${n} ${question}`).digest().readUInt16BE() % from.length] as T;
}

function known(n: number): Known {
  const running = pick(n, "running", [null, 0, 1, 2]);
  return {
    id: toMac(0x0200_0001_0000 + n * 0x1f3),
    owner: pick(n, "owner", people),
    type: pick(n, "type", types),
    location: pick(n, "location", [null, ...locations]),
    running,
    assigned: pick(n, "assigned", [null, 0, 1, 2]),
    tasked: pick(n, "tasked", [null, 0, 1, 2]),
    groups: groupNames.filter((name) => pick(n, name, [true, false, false])),
    claimable: pick(n, "claimable", [true, false]),
    licensed: pick(n, "license", [true, false]),
    flagged: pick(n, "flagged", [true, false]),
    silent: pick(n, "silent", [true, false]),
    contactAgo: pick(n, "heard", [
      null,
      0,
      hour - 1,
      hour,
      hour + 1,
      24 * hour - 1,
      24 * hour,
      24 * hour + 1,
      7 * 24 * hour - 1,
      7 * 24 * hour,
      7 * 24 * hour + 1,
      900 * hour,
    ]),
    installation: pick(n, "installation", [null, ...installations]),
    deleted: pick(n, "deleted", [true, false, false, false, false]),
  };
}

async function plant(one: Known): Promise<void> {
  await world.ctx.db
    .insertInto("sensor")
    .values({
      id: one.id,
      owner_id: one.owner.id,
      owner_path: one.owner.path,
      type: one.type,
      location_id: one.location,
      firmware_running_id: one.running === null ? null : (firmware[one.running] ?? null),
      firmware_id: one.assigned === null ? null : (firmware[one.assigned] ?? null),
      update_task: one.tasked === null ? null : JSON.stringify({ artifactID: firmware[one.tasked] }),
      running_version: one.running === null ? null : (versions[one.running] ?? null),
      groups: one.groups,
      claimable: one.claimable,
      license_monitoring: one.licensed,
      is_connected: one.flagged,
      not_responding: one.silent,
      last_contact_at: one.contactAgo === null ? null : new Date(world.ctx.clock.now() - one.contactAgo),
      installation: one.installation,
      is_deleted: one.deleted,
    })
    .execute();
}

const isConnected = (one: Known, hours: number) =>
  one.flagged || (one.contactAgo !== null && one.contactAgo < hours * hour);
const stateOf = (one: Known, hours: number) =>
  one.flagged && one.silent ? "notResponding" : isConnected(one, hours) ? "connected" : "disconnected";
const spans: Record<string, number> = { "24h": 24 * hour, "7d": 7 * 24 * hour };
function isOutOfContact({ flagged, contactAgo }: Known, word: string): boolean {
  if (flagged) return false;
  return word === "never" ? contactAgo === null : contactAgo !== null && contactAgo >= (spans[word] ?? 0);
}
const bare = (text: string) => text.toLowerCase().replaceAll(/[^0-9a-z]/g, "");

const meaning: Record<string, (one: Known, values: string[]) => boolean> = {
  ids: (one, values) => values.some((value) => bare(value) === bare(one.id)),
  sensorType: (one, values) => values.includes(one.type),
  connected: (one, [value]) => stateOf(one, 24) === value,
  installation: (one, values) => one.installation !== null && values.includes(one.installation),
  lastContact: (one, values) => values.some((value) => isOutOfContact(one, value)),
  artifactID: (one, values) =>
    values.some((id) => {
      const last = one.assigned ?? (one.installation === "canceled" ? one.tasked : null);
      return last !== null && firmware[last] === id;
    }),
  monitored: (one, [value]) => String(one.licensed) === value,
  ownerID: (one, values) => values.includes(one.owner.id),
  artifactRunningID: (one, values) => one.running !== null && values.includes(firmware[one.running] ?? ""),
  infoSoftwareFirmwareVersion: (one, values) => one.running !== null && values.includes(versions[one.running] ?? ""),
  measID: (one, values) => one.location !== null && values.includes(one.location),
  hasLocation: (one, [value]) => String(one.location !== null) === value,
  claimable: (one, [value]) => one.claimable === (value === "enabled"),
  groups: (one, values) => values.some((value) => one.groups.includes(value)),
  sensorID: (one, [value]) => bare(one.id).includes(bare(value ?? "")),
};

const missing = "0190a000-0000-7000-8000-ffffffffffff";
const some = (values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const one = (...values: string[]) => fc.constantFrom(...values).map((value) => [value]);
const filterArbitraries = (): Record<string, fc.Arbitrary<string[]>> => ({
  ids: fc.uniqueArray(fc.nat({ max: all.length - 1 }), { minLength: 1, maxLength: 40 }).map((list) =>
    list.map((n) => {
      const id = all[n]?.id ?? "";
      return (
        [id, id.toLowerCase(), id.replaceAll(":", ""), id.replaceAll(":", "-"), "02:FF:FF:FF:FF:FF", "rubbish"][
          n % 6
        ] ?? id
      );
    }),
  ),
  sensorType: some([...types]),
  connected: one("connected", "notResponding", "disconnected"),
  installation: some([...installations]),
  lastContact: some(["24h", "7d", "never"]),
  artifactID: some([...firmware, missing, "rubbish"]),
  monitored: one("true", "false"),
  ownerID: some([...people.map(({ id }) => id), missing, "rubbish"]),
  artifactRunningID: some([...firmware, missing, "rubbish"]),
  infoSoftwareFirmwareVersion: some([...versions, "1.2", "9.9.9"]),
  measID: some([...locations, missing, "rubbish"]),
  hasLocation: one("true", "false"),
  claimable: one("enabled", "disabled"),
  groups: some([...groupNames, "NORTH", "entrance", "%", "_"]),
  sensorID: one("02", "02:00", "00010", "1F", "1f3", "3:e", "ffff", "02-00-00-01", "zz"),
});

function queryOf(filter: Record<string, string[]>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(filter).flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  );
}

function expected(filter: Record<string, string[]>, withDeleted = false): string[] {
  return all
    .filter(({ owner, deleted }) => owner !== people[3] && (withDeleted || !deleted))
    .filter((sensor) => Object.entries(filter).every(([name, values]) => meaning[name]?.(sensor, values)))
    .map(({ id }) => id)
    .toSorted();
}

async function look(query: URLSearchParams | string, path = "/api/v2/sensor") {
  const reply = await world.call(looker, "GET", `${path}?${query.toString()}`);
  if (reply.status !== 200) throw new Error(`${query.toString()} → ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply;
}
const idsOf = (rows: JsonObject[]) => rows.map((row) => String(row["_id"]));

test("SE-02 each filter alone shows exactly its sensors, as list, ids and total", async () => {
  const seen = new Map<string, Set<number>>();
  for (const [name, arbitrary] of Object.entries(filterArbitraries())) {
    for (const values of fc.sample(arbitrary, { seed: 3, numRuns: 12 })) {
      const filter = { [name]: values };
      const wanted = expected(filter);
      const query = queryOf(filter);
      const page = await look(`${query.toString()}&limit=500&includeTotals=true`);
      expect(idsOf(page.list), query.toString()).toEqual(wanted);
      expect(page.at("total"), query.toString()).toBe(wanted.length);
      expect(((await look(`${query.toString()}&onlyIDs=true`)).body as string[]).toSorted(), query.toString()).toEqual(
        wanted,
      );
      seen.set(name, (seen.get(name) ?? new Set()).add(wanted.length));
    }
  }
  for (const [name, counts] of seen) expect(counts.size, name).toBeGreaterThan(1);
});

test("SE-02 unknown filter words are refused with 102, in lists and batches", async () => {
  for (const wrong of [
    "connected=off",
    "installation=INSTALLING",
    "installation=done&installation=",
    "lastContact=1h",
    "lastContact=24h&lastContact=",
    "monitored=1",
  ]) {
    const reply = await world.call(looker, "GET", `/api/v2/sensor?${wrong}`);
    expect([reply.status, reply.code], wrong).toEqual([400, 102]);
  }
  for (const sensorQuery of [{ installation: ["begun"] }, { lastContact: ["8d"] }]) {
    const body = { sensorQuery, changes: { groups: ["seen"] } };
    const batch = await world.call(looker, "PUT", "/api/v2/sensor/batch-update", { body });
    expect([batch.status, batch.code]).toEqual([400, 102]);
  }
});

test("SE-02 filters combine with any page, order and total", { tags: "prove" }, async () => {
  const arbitrary = fc.record(
    Object.fromEntries(
      Object.entries(filterArbitraries()).map(([name, one_]) => [name, fc.option(one_, { nil: [], freq: 1 })]),
    ),
  );
  let nonEmpty = 0;
  for (const drawn of fc.sample(arbitrary, { seed: seedOf(5), numRuns: rounds(12, 150) })) {
    const given = Object.entries(drawn).filter(([, values]) => values.length > 0);
    const filter = Object.fromEntries(given.slice(given.length % 3, (given.length % 3) + 3));
    const withDeleted = given.length % 2 === 0;
    const wanted = expected(filter, withDeleted);
    if (wanted.length > 0) nonEmpty += 1;
    const query = `${queryOf(filter).toString()}${withDeleted ? "&includeDeleted=true" : ""}`;
    expect(idsOf((await look(`${query}&limit=500`)).list), query).toEqual(wanted);
    const reverse = await look(`${query}&limit=500&sortBy=-_id&includeTotals=true`);
    expect(idsOf(reverse.list), query).toEqual(wanted.toReversed());
    expect(reverse.at("total"), query).toBe(wanted.length);
    const [skip, limit] = [given.length * 3, 1 + (wanted.length % 5)];
    const part = await look(`${query}&skip=${skip}&limit=${limit}&includeTotals=true`);
    expect(idsOf(part.list), query).toEqual(wanted.slice(skip, skip + limit));
    expect(part.at("total"), query).toBe(wanted.length);
    expect(((await look(`${query}&onlyIDs=true&skip=5&limit=1`)).body as string[]).toSorted(), query).toEqual(wanted);
  }
  expect(nonEmpty).toBeGreaterThan(rounds(9, 40));
});

test("SE-02 pages add up to the whole list in every order", async () => {
  const visible = all.filter(({ owner, deleted }) => owner !== people[3] && !deleted);
  const keyOf = (one: Known, key: "id" | "type" | "contact") =>
    key === "contact" ? -(one.contactAgo ?? Number.POSITIVE_INFINITY) : one[key];
  const by = (keys: ["id" | "type" | "contact", number][]) =>
    visible
      .toSorted((a, b) => {
        for (const [key, sign] of keys)
          if (keyOf(a, key) !== keyOf(b, key)) return sign * (keyOf(a, key) < keyOf(b, key) ? -1 : 1);
        return a.id < b.id ? -1 : 1;
      })
      .map(({ id }) => id);
  const orders: [string, string[]][] = [
    ["", by([["id", 1]])],
    ["sortBy=_id", by([["id", 1]])],
    ["sortBy=-_id", by([["id", -1]])],
    ["sortBy=_id&sortDesc=true", by([["id", -1]])],
    ["sortBy=type", by([["type", 1]])],
    ["sortBy=-type", by([["type", -1]])],
    ["sortBy=lastContactAt", by([["contact", 1]])],
    ["sortBy=-lastContactAt", by([["contact", -1]])],
    [
      "sortBy=type&sortBy=-lastContactAt",
      by([
        ["type", 1],
        ["contact", -1],
      ]),
    ],
    [
      "sortBy=-type&sortBy=-_id",
      by([
        ["type", -1],
        ["id", -1],
      ]),
    ],
    [
      "sortBy=type&sortBy=_id&sortDesc=false&sortDesc=true",
      by([
        ["type", 1],
        ["id", -1],
      ]),
    ],
  ];
  for (const [order, wanted] of orders) {
    const found: string[] = [];
    for (let skip = 0; ; skip += 30) {
      const page = idsOf((await look(`${order}&skip=${skip}&limit=30`)).list);
      found.push(...page);
      if (page.length < 30) break;
    }
    expect(found, order).toEqual(wanted);
  }
  const usual = await look("");
  expect(usual.list).toHaveLength(7);
  expect(Object.keys(usual.body as object)).toEqual(["objects"]);
  const walked: string[] = [];
  for (let after = ""; ;) {
    const page = idsOf((await look(`limit=25${after === "" ? "" : `&after=${after}`}`)).list);
    walked.push(...page);
    if (page.length < 25) break;
    after = page.at(-1) ?? "";
  }
  expect(walked).toEqual(orders[0]?.[1]);
});

test("SE-02 SE-12 statistics count what the list shows, for every timeout", async () => {
  const visible = all.filter(({ owner, deleted }) => owner !== people[3] && !deleted);
  const counts = (of: (sensor: Known) => unknown) => {
    const sums = new Map<unknown, number>();
    for (const sensor of visible) sums.set(of(sensor), (sums.get(of(sensor)) ?? 0) + 1);
    return sums;
  };
  const shown = (rows: unknown) =>
    new Map((rows as { _id: unknown; count: number }[]).map(({ _id, count }) => [_id, count]));
  for (const hours of [null, 0.01, 0.5, 1, 1.5, 24, 899.99, 900, 900.25, 901, 87_600]) {
    const reply = await look(hours === null ? "" : `connectionTimeout=${hours}`, "/api/v2/sensor/stats");
    expect(shown(reply.at("totalByType"))).toEqual(counts(({ type }) => type));
    expect(shown(reply.at("totalByMonitoringLicense"))).toEqual(counts(({ licensed }) => licensed));
    expect(shown(reply.at("totalByInfoFirmware"))).toEqual(
      counts(({ running }) => (running === null ? null : versions[running])),
    );
    const versionsShown = (reply.at("totalByInfoFirmware") as { _id: string | null; count: number }[]).map(
      ({ _id, count }): [number, string] => [-count, String(_id)],
    );
    expect(versionsShown).toEqual(versionsShown.toSorted(([a, one], [b, other]) => a - b || (one < other ? -1 : 1)));
    const states = counts((sensor) => stateOf(sensor, hours ?? 24));
    expect(shown(reply.at("totalByScomState")), String(hours)).toEqual(states);
    const installing = counts(({ installation }) => installation);
    installing.delete(null);
    expect(shown(reply.at("totalByInstallation"))).toEqual(installing);
  }
  const stats = await look("", "/api/v2/sensor/stats");
  for (const [name, figures] of [
    ["connected", "totalByScomState"],
    ["installation", "totalByInstallation"],
    ["lastContact", "totalByLastContact"],
    ["monitored", "totalByMonitoringLicense"],
  ] as const)
    for (const [value, count] of shown(stats.at(figures))) {
      const total = (await look(`${name}=${String(value)}&includeTotals=true&limit=1`)).at("total");
      expect(total, `${name}=${String(value)}`).toBe(count);
    }
  for (const type of types) {
    const total = (await look(`sensorType=${type}&includeTotals=true&limit=1`)).at("total");
    expect(total).toBe(shown((await look("", "/api/v2/sensor/stats")).at("totalByType")).get(type));
  }
});

test("SE-02 filters by invisible objects and strangers' lists reveal nothing", async () => {
  const stranger = people[3] as Person;
  expect((await look(`ownerID=${stranger.id}&includeTotals=true`)).body).toEqual({ objects: [], total: 0 });
  const own = await world.call(stranger, "GET", "/api/v2/sensor?limit=500&includeTotals=true");
  const wanted = all.filter(({ owner, deleted }) => owner === stranger && !deleted).map(({ id }) => id);
  expect(idsOf(own.list)).toEqual(wanted.toSorted());
  expect(own.at("total")).toBe(wanted.length);
});

test("SE-02 T-23 filters by hidden fields match nothing, in lists and batches", async () => {
  const upwards = { me: true, relativeAncestorLevel: 1 };
  const rights = { canViewObject: upwards, canEditObject: upwards };
  const counter = await world.account("Counter", looker, { ownable: { sensor: rights } });
  const seer = await world.account("Seer", looker, {
    ownable: { sensor: rights, measurement: { canViewObject: upwards }, artifact: { canViewObject: upwards } },
  });
  const hidden = { measID: locations[0] ?? "", artifactRunningID: firmware[1] ?? "", artifactID: firmware[1] ?? "" };
  for (const [name, id] of Object.entries(hidden)) {
    const wanted = all
      .filter((one) => one.owner === looker && !one.deleted && meaning[name]?.(one, [id]))
      .map((one) => one.id)
      .toSorted();
    expect(wanted.length, name).toBeGreaterThan(0);
    for (const values of [`${name}=${id}`, `${name}=${id}&${name}=${missing}`]) {
      const list = async (who: Person) =>
        idsOf((await world.call(who, "GET", `/api/v2/sensor?limit=500&${values}`)).list);
      expect(await list(seer), values).toEqual(wanted);
      expect(await list(counter), values).toEqual([]);
    }
    const total = await world.call(counter, "GET", `/api/v2/sensor?includeTotals=true&${name}=${id}`);
    expect(total.at("total"), name).toBe(0);
    const body = { sensorQuery: { [name]: id }, changes: { groups: ["seen"] } };
    const batch = await world.call(counter, "PUT", "/api/v2/sensor/batch-update", { body });
    expect(batch.body, name).toEqual({ success: 0, fail: [] });
  }
});

test("SE-02 a collected view of some thousand sensors has the same pages", { tags: "prove" }, async () => {
  const dealer = await world.account("Dealer", world.root, fullPermissions);
  const shop = await world.account("Shop of the dealer", dealer, null);
  const crowd = Array.from({ length: 3000 }, (_, n) => ({
    ...known(n),
    id: toMac(0x0200_0501_0000 + n * 7),
    running: null,
  }));
  await world.ctx.db
    .insertInto("sensor")
    .values(
      crowd.map(({ id, type, groups, deleted }, n) => {
        const owner = n % 3 === 0 ? dealer : shop;
        return { id, type, groups, is_deleted: deleted, owner_id: owner.id, owner_path: owner.path };
      }),
    )
    .execute();
  const living = crowd.filter(({ deleted }) => !deleted).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const ids = living.map(({ id }) => id);
  const zods = living.filter(({ type }) => type === "ZOD").map(({ id }) => id);
  const grouped = living.filter(({ groups }) => groups.includes("north")).map(({ id }) => id);
  const byType = living.toSorted((a, b) => (a.type < b.type ? 1 : a.type > b.type ? -1 : 0)).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(2000);
  const views: [query: string, wanted: string[]][] = [
    ["", ids],
    ["sortBy=-_id", ids.toReversed()],
    ["sortBy=-type", byType],
    ["sortBy=-lastContactAt", ids],
    ["sensorType=ZOD", zods],
    ["sensorType=ZOD&sortBy=-_id", zods.toReversed()],
    ["groups=north", grouped],
  ];
  for (const [query, wanted] of views) {
    for (const skip of [0, 40, 1200, wanted.length - 5, wanted.length]) {
      const page = await world.call(dealer, "GET", `/api/v2/sensor?${query}&skip=${skip}&limit=40&includeTotals=true`);
      expect(idsOf(page.list), `${query} ${skip}`).toEqual(wanted.slice(skip, skip + 40));
      expect(page.at("total")).toBe(wanted.length);
    }
  }
  const after = await world.call(dealer, "GET", `/api/v2/sensor?after=${ids[1234] ?? ""}&limit=40`);
  expect(idsOf(after.list)).toEqual(ids.slice(1235, 1275));

  const everything = [...all.filter((sensor) => !sensor.deleted), ...living].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const types = everything.toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  const orders: [query: string, wanted: Known[]][] = [
    ["", everything],
    ["sortBy=-_id", everything.toReversed()],
    ["sortBy=type", types],
    ["sortBy=-type&sortBy=-_id", types.toReversed()],
  ];
  for (const [query, wanted] of orders) {
    for (const skip of [1300, wanted.length - 1000, wanted.length - 40, wanted.length - 7, wanted.length, 99_999]) {
      const page = await world.call(world.root, "GET", `/api/v2/sensor?${query}&skip=${skip}&limit=40`);
      expect(idsOf(page.list), `${query} ${skip}`).toEqual(wanted.slice(skip, skip + 40).map(({ id }) => id));
    }
  }
});
