// Tests that a batch does what the oracle predicts and changes no other sensor, with random trees, roles, sensors and
// changes (SE-03, T-07).
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import type { RefusalDetails } from "@psp/contract/kit/refusal.ts";
import { type AccountNode, type Forest, mayActOnAccount } from "@psp/contract/permission/oracle.testing.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plantForest, signInAll, objectIdsOf } from "../../testing/rights/account-forest.ts";
import {
  applyChange,
  selectOrRefuse,
  carryOut,
  fieldsOf,
  type BatchChange,
  type ConcurrentChanges,
  type BatchOrder,
  type FirmwareModel,
  type LocationModel,
  type BatchSensor,
} from "../../testing/rights/batch-oracle.ts";
import { holdBatches, untilRequested } from "../../testing/held-batches.ts";
import { seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { createWorld, type JsonObject, type World } from "../../testing/world.ts";
import { sensorReasons } from "../sensor.reasons.ts";

/**
 * Number of forests in which groups are only replaced as a whole. In the other forests, groups are also added and
 * removed.
 */
const wholeForests = 18;
const forests = wholeForests + 2;
const casesPerForest = 92;
const deletions = 6;

let world: World;
beforeAll(async () => void (world = await createWorld()));
afterAll(() => world.stop());

function chance(seed: number) {
  let state = seed;
  const below = (n: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return Math.floor(((state >>> 8) / 16_777_216) * n);
  };
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  return { below, pick, maybe: (oneIn: number) => below(oneIn) === 0 };
}
type Chance = ReturnType<typeof chance>;

const groupNames = ["hall", "north", "entrance", "50%"];
const typeNames = ["APS", "ZOD"];

type Failure = { id: string; errMessage: string; details?: RefusalDetails };

/**
 * Returns what a failure wrongly reveals or withholds, or null. A failure must have a reason that names only visible
 * objects, but must have none if the sensor is missing. A sensor that was changed meanwhile needs none.
 */
function leakIn({ errMessage, details }: Failure, asker: AccountNode, { accounts }: Forest): string | null {
  if (details?.reason === sensorReasons.unseenPlace.reason) return errMessage === "Not found." ? null : errMessage;
  if (errMessage === "Not found.") return details === undefined ? null : "a word about what is not there";
  if (errMessage === "Changed meanwhile.") return null;
  if (details === undefined) return "no reason";
  const named = accounts.find(({ id }) => details.reason.split(/[ ,.]/).includes(id));
  if (named && named !== asker && !mayActOnAccount(asker, "view", named)) return `the name ${named.id}`;
  return details.object?.type === "account" && !named ? "an object that the reason does not name" : null;
}

/** Random roles rarely allow much, so some get nearly all rights. */
function strengthen({ roles }: Forest, { maybe, pick }: Chance): void {
  const scope = () => (maybe(5) ? {} : { me: true, myChildren: !maybe(4), relativeAncestorLevel: pick([0, 0, 1, 2]) });
  const kind = () => ({
    canViewObject: scope(),
    canEditObject: scope(),
    canDeleteObject: scope(),
    canChangeOwner: { from: scope(), to: scope() },
  });
  for (const role of roles) {
    if (maybe(3)) continue;
    role.permissions = {
      other: { canAssignSensors: scope(), canUseArtifact: scope() },
      ownable: { sensor: kind(), measurement: kind(), artifact: kind() },
      owner: { canViewOwner: scope() },
    };
  }
}

type Scene = {
  forest: Forest;
  units: BatchSensor[];
  places: LocationModel[];
  packages: FirmwareModel[];
  inParts: boolean;
};

function outfit(forest: Forest, inParts: boolean, { pick, maybe }: Chance): Scene {
  const places = forest.accounts.map((owner, n) => ({ id: objectIdsOf(n).location, owner }));
  const packages = forest.accounts.flatMap((owner, n) => [
    { id: objectIdsOf(n).firmware, owner, type: pick(typeNames), childrenCanView: false },
    { id: objectIdsOf(n).firmwareForChildren, owner, type: pick(typeNames), childrenCanView: true },
  ]);
  const units = forest.accounts.map((owner, n): BatchSensor => {
    const type = pick(typeNames);
    const fitting = packages.filter((one) => one.type === type);
    const desired = maybe(2) && fitting.length > 0 ? pick(fitting) : null;
    return {
      id: objectIdsOf(n).sensor,
      owner,
      type,
      place: maybe(2) ? pick(places) : null,
      desired,
      task: desired && !maybe(4) ? "waiting" : null,
      groups: groupNames.filter(() => maybe(3)),
      claimable: false,
      code: maybe(2) ? `CODE${String(n).padStart(4, "0")}` : null,
      gone: false,
    };
  });
  return { forest, units, places, packages, inParts };
}

async function furnish({ units, packages }: Scene): Promise<void> {
  const { db } = world.ctx;
  for (const { id, type } of packages) await db.updateTable("firmware").set({ type }).where("id", "=", id).execute();
  for (const unit of units) {
    await db
      .updateTable("sensor")
      .set({
        type: unit.type,
        location_id: unit.place?.id ?? null,
        firmware_id: unit.desired?.id ?? null,
        groups: unit.groups,
        claiming_code: unit.code,
      })
      .where("id", "=", unit.id)
      .execute();
    if (unit.task === null) continue;
    await sql`insert into update_task (id, sensor_num, firmware_id, version, state, created_at, created_by, changed_at, deadline)
      select gen_random_uuid(), num, firmware_id, '1', ${unit.task}, now(), owner_id, now(), now() + interval '2 days'
      from sensor where id = ${unit.id}`.execute(db);
  }
}

async function reality() {
  const { rows } =
    await sql<JsonObject>`select id, owner_id, type, location_id, firmware_id, groups, claimable, claiming_code,
    (select state from update_task t where t.sensor_num = s.num and t.state in ('waiting', 'paused')) as task,
    is_deleted, (select path from account a where a.id = s.owner_id) = owner_path as is_placed from sensor s order by id`.execute(
      world.ctx.db,
    );
  return rows;
}

function adoptCodes(units: readonly BatchSensor[], rows: readonly JsonObject[]): void {
  for (const unit of units.filter(({ newCode }) => newCode)) {
    const code = rows.find(({ id }) => id === unit.id)?.["claiming_code"];
    expect(code).toMatch(/^[2-9A-HJ-NP-Z]{8}$/);
    expect(code).not.toBe(unit.code);
    Object.assign(unit, { code, newCode: false });
  }
}

async function counted() {
  const { rows } =
    await sql<JsonObject>`select kind, owner_path, n from owned_count where kind like 'sensor%' and n <> 0 order by 1, 2`.execute(
      world.ctx.db,
    );
  return rows;
}
async function recounted() {
  const { rows } = await sql<JsonObject>`select k as kind, owner_path, count(*) as n
      from sensor, unnest(array['sensor', 'sensor ' || type]) k where not is_deleted group by 1, 2 order by 1, 2`.execute(
    world.ctx.db,
  );
  return rows;
}

function model(units: readonly BatchSensor[]): JsonObject[] {
  return units
    .map((unit) => ({
      id: unit.id,
      owner_id: unit.owner.id,
      type: unit.type,
      location_id: unit.place?.id ?? null,
      firmware_id: unit.desired?.id ?? null,
      groups: unit.groups,
      claimable: unit.claimable,
      claiming_code: unit.code,
      task: unit.task,
      is_deleted: unit.gone,
      is_placed: true,
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

const kinds = ["owner", "firmware", "location", "groups", "claimable", "several", "pause", "delete"] as const;
type Kind = (typeof kinds)[number];

function changeOf(
  kind: Kind,
  { forest, places, packages, inParts }: Scene,
  { pick, maybe }: Chance,
): BatchChange | null {
  const part = (name: Kind): BatchChange => {
    if (name === "owner") return { owner: pick(forest.accounts) };
    if (name === "firmware") return { artifact: maybe(5) ? null : pick(packages) };
    if (name === "location") return { measID: maybe(5) ? null : pick(places) };
    if (name === "pause") return { installation: maybe(3) ? "waiting" : "paused" };
    if (name === "claimable") return { claimable: maybe(2) };
    const some = groupNames.filter(() => maybe(2));
    if (inParts && some.length === 1) return { groups: { add: [...some, ...some] } };
    return { groups: inParts && some.length === 2 ? { remove: some } : some };
  };
  if (kind === "delete") return null;
  if (kind !== "several") return part(kind);
  return Object.assign(
    {},
    ...kinds.slice(0, 5).map((name) => (maybe(2) ? part(name) : {})),
    part("groups"),
  ) as BatchChange;
}

type Filter = { query: JsonObject; fits: (unit: BatchSensor) => boolean };

function filterOf({ forest, units }: Scene, { pick, maybe }: Chance): Filter {
  const [type, owner, group] = [pick(typeNames), pick(forest.accounts), pick(groupNames)];
  const [other, digits] = [pick(forest.accounts), pick(units).id.slice(-4)];
  const excluded = units.filter(() => maybe(4)).map((unit) => unit.id);
  const parts: Filter[] = [
    { query: { sensorType: type }, fits: (unit) => unit.type === type },
    { query: { ownerID: [owner.id, other.id] }, fits: (unit) => unit.owner === owner || unit.owner === other },
    { query: { groups: [group] }, fits: (unit) => unit.groups.includes(group) },
    { query: { claimable: "disabled" }, fits: (unit) => !unit.claimable },
    { query: { sensorID: digits }, fits: (unit) => unit.id.replaceAll(":", "").includes(digits.replace(":", "")) },
    { query: { exclude: excluded }, fits: (unit) => !excluded.includes(unit.id) },
  ];
  const taken = parts.filter(() => maybe(4));
  return {
    query: Object.assign({}, ...taken.map(({ query }) => query)) as JsonObject,
    fits: (unit) => taken.every(({ fits }) => fits(unit)),
  };
}

function onWire(change: BatchChange): JsonObject {
  const { owner, measID, artifact, ...rest } = change;
  return {
    ...rest,
    ...(owner ? { owner: owner.id } : {}),
    ...(measID === undefined ? {} : { measID: measID?.id ?? null }),
    ...(artifact === undefined ? {} : { artifact: artifact?.id ?? "" }),
  };
}

function orderOf(kind: Kind, scene: Scene, asker: AccountNode, luck: Chance): { order: BatchOrder; body: JsonObject } {
  const change = changeOf(kind, scene, luck);
  const filter = filterOf(scene, luck);
  const ids = luck.maybe(2)
    ? [...scene.units.filter(() => luck.maybe(2)).map((unit) => unit.id), "02:FF:FF:FF:FF:FF", scene.units[0]?.id ?? ""]
    : null;
  return {
    order: { asker, ids, fits: filter.fits, change },
    body: {
      ...(ids ? { sensorIDs: ids } : { sensorQuery: filter.query, all: true }),
      ...(change ? { changes: onWire(change) } : {}),
    },
  };
}

type Answer = { code: unknown; body: unknown };
type Speak = (who: AccountNode, method: string, path: string, body?: JsonObject) => Promise<Answer>;

function asItIs(kind: Kind, unit: BatchSensor): BatchChange | null {
  if (kind === "owner") return { owner: unit.owner };
  if (kind === "location") return { measID: unit.place };
  return kind === "firmware" ? { artifact: unit.desired } : null;
}

/** Authorized users change or delete some of the sensors between the request of the batch and its execution. */
async function interrupt(
  speak: Speak,
  kind: Kind,
  scene: Scene,
  { order, body }: ReturnType<typeof orderOf>,
  luck: Chance,
) {
  const chosen = selectOrRefuse(scene.units, order) as string[];
  const held = await holdBatches(world.ctx, order.asker.id);
  const pending = speak(order.asker, "PUT", pathOf(kind), body);
  const meanwhile = new Map<string, Set<keyof BatchChange>>();
  try {
    await untilRequested(world.ctx, order.asker.id);
    const wanted = scene.units.filter((unit) => chosen.includes(unit.id));
    for (const unit of wanted.filter(() => !luck.maybe(4)).slice(0, 6)) {
      const what = luck.maybe(4) || kind === "delete" ? luck.pick(singly) : (overtakes[kind] ?? kind);
      const change = (luck.maybe(2) ? null : asItIs(what, unit)) ?? changeOf(what, scene, luck);
      const path = `/api/sensor/${unit.id}`;
      const who = luck.maybe(4) ? luck.pick(scene.forest.accounts) : order.asker;
      const reply = await (change ? speak(who, "PUT", path, onWire(change)) : speak(who, "DELETE", path));
      if (reply.code !== undefined) continue;
      const fields = change ? fieldsOf(unit, change) : [];
      applyChange(unit, change);
      meanwhile.set(unit.id, new Set([...(meanwhile.get(unit.id) ?? []), ...fields]));
    }
  } finally {
    await held.release();
  }
  return { reply: await pending, chosen, meanwhile };
}

const singly = kinds.filter((kind) => kind !== "pause");
/** The kind of change most likely to conflict with a batch of this kind. */
const overtakes: Partial<Record<Kind, Kind>> = { pause: "firmware", several: "groups" };
const seldom: readonly Kind[] = ["owner", "firmware", "several", "pause"];

const pathOf = (kind: Kind) => `/api/v2/sensor/batch-${kind === "delete" ? "delete" : "update"}`;
const nothing: ConcurrentChanges = new Map();

test(
  `SE-03 SE-13 T-07 ${forests * casesPerForest} random batches change exactly what the oracle says`,
  { timeout: 480_000, tags: "prove" },
  async () => {
    const met = new Map<string, number>();
    const note = (name: string, n: number) => met.set(name, (met.get(name) ?? 0) + n);
    // The fixed seed 0 covers all cases that are counted at the end; a random seed may miss rare cases.
    const played = [...new Set([0, seedOf(0)])].flatMap((more) =>
      fc
        .sample(forestArbitrary({ maxAccounts: 24, minAccounts: 5 }), { seed: 9 + more, numRuns: forests })
        .map((forest, seed) => ({ forest, seed, luck: chance(seed * 7919 + 5 + more) })),
    );
    for (const { forest, seed, luck } of played) {
      strengthen(forest, luck);
      const planted = await plantForest(world.ctx.db, forest);
      const tokens = await signInAll(world.ctx, planted);
      world.server.sessions.forget();
      const scene = outfit(forest, seed >= wholeForests, luck);
      await furnish(scene);
      expect(await reality()).toEqual(model(scene.units));
      const speak: Speak = (who, method, path, body) =>
        world.call({ ...world.root, token: tokens.get(who) ?? "" }, method, path, body ? { body } : {});
      const withRights = [...tokens.keys()].filter((node) => node.role !== null && !node.role.deleted);
      for (let n = 0; n < casesPerForest; n += 1) {
        const kind = n < casesPerForest - deletions ? (kinds[n % 7] as Kind) : "delete";
        const asker = luck.maybe(8) || withRights.length === 0 ? luck.pick([...tokens.keys()]) : luck.pick(withRights);
        const { order, body } = orderOf(kind, scene, asker, luck);
        const label = `forest ${seed} case ${n} ${kind} ${JSON.stringify(body)}`;
        const begun = selectOrRefuse(scene.units, order);
        if ("refused" in begun) {
          expect((await speak(asker, "PUT", pathOf(kind), body)).code, label).toBe(begun.refused);
          expect(await reality(), label).toEqual(model(scene.units));
          note(`${kind} refused`, 1);
          continue;
        }
        const { reply, chosen, meanwhile } =
          begun.length > 0 && luck.maybe(seldom.includes(kind) ? 2 : 3)
            ? await interrupt(speak, kind, scene, { order, body }, luck)
            : { reply: await speak(asker, "PUT", pathOf(kind), body), chosen: begun, meanwhile: nothing };
        const expected = carryOut(scene.units, order, chosen, meanwhile);
        const { fail, ...rest } = reply.body as { success: number; fail: Failure[] };
        expect({ ...rest, fail: fail.map(({ id, errMessage }) => ({ id, errMessage })) }, label).toEqual(expected);
        for (const one of fail) expect(leakIn(one, asker, forest), `${label} ${JSON.stringify(one)}`).toBeNull();
        note("named", fail.filter(({ details }) => details?.object?.type === "account").length);
        note("unnamed", fail.filter(({ details }) => details?.reason.includes("an account wh") === true).length);
        note(`${kind} changed`, expected.success);
        note(`${kind} failed`, expected.fail.filter(({ errMessage }) => errMessage !== "Not found.").length);
        note(`${kind} late`, expected.fail.filter(({ errMessage }) => errMessage === "Changed meanwhile.").length);
        const now = await reality();
        adoptCodes(scene.units, now);
        expect(now, label).toEqual(model(scene.units));
      }
      expect(await counted(), `forest ${seed}: totals`).toEqual(await recounted());
    }
    for (const kind of kinds) {
      expect(met.get(`${kind} changed`) ?? 0, `${kind} changed nothing`).toBeGreaterThan(9);
      expect(met.get(`${kind} failed`) ?? 0, `${kind} failed nowhere`).toBeGreaterThan(9);
      expect(met.get(`${kind} late`) ?? 0, `${kind} came never too late`).toBeGreaterThan(2);
    }
    for (const words of ["named", "unnamed"]) expect(met.get(words) ?? 0, `${words} owners`).toBeGreaterThan(9);
    for (const kind of ["owner", "firmware", "location"]) expect(met.get(`${kind} refused`) ?? 0).toBeGreaterThan(5);
  },
);
