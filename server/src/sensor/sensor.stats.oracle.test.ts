// The statistics equal a count of the visible sensors one by one, whatever was changed and however far the sums have followed.
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import { mayDo } from "@psp/contract/permission/oracle.testing.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { connectionState, type InstallationState } from "@psp/contract/sensor/presence.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database, Reader } from "../db/database.ts";
import { moveSubtree } from "../owned/tree.store.ts";
import { createChance, type Chance, pick } from "../testing/chance.ts";
import { objectIdsOf, plantForest, type Planted } from "../testing/rights/account-forest.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type World } from "../testing/world.ts";
import { countStats } from "./sensor.stats.service.ts";
import { countByStat, deleteEmptySums, sumUpChanges } from "./sensor.stats.store.ts";

const hourMs = 3_600_000;
const timeouts = [0.01, 1, 24, 168, 87_600] as const;
const installations: readonly (InstallationState | null)[] = ["waiting", "installing", "done", "failed", null];

let world: World;
let db: Database;
beforeAll(async () => {
  world = await createWorld({ clock: createStillClock() });
  ({ db } = world.ctx);
});
afterAll(() => world.stop());

type Row = {
  ownerId: string;
  type: string;
  version: string | null;
  monitored: boolean;
  installation: string | null;
  isConnected: boolean;
  notResponding: boolean;
  lastContactAt: Date | null;
};

async function readSensors(reader: Reader = db): Promise<Row[]> {
  const { rows } =
    await sql<Row>`select owner_id as "ownerId", type, running_version as version, license_monitoring as monitored,
    installation, is_connected as "isConnected", not_responding as "notResponding", last_contact_at as "lastContactAt"
    from sensor where not is_deleted`.execute(reader);
  return rows;
}

/** Without values that no sensor has. */
function countBy<T>(rows: readonly Row[], of: (row: Row) => T): Map<T, number> {
  const sums = new Map<T, number>();
  for (const row of rows) sums.set(of(row), (sums.get(of(row)) ?? 0) + 1);
  return sums;
}

function expectedStats(rows: readonly Row[], nowMs: number, timeoutHours: number) {
  const isSilent = ({ isConnected, lastContactAt }: Row, hours: number) =>
    !isConnected && lastContactAt !== null && nowMs - lastContactAt.getTime() >= hours * hourMs;
  const state = ({ isConnected, notResponding, lastContactAt }: Row) =>
    connectionState(
      {
        isConnected,
        isConnectedButDoesntRespond: notResponding,
        lastContactAt: lastContactAt?.toISOString() ?? null,
      } as Parameters<typeof connectionState>[0],
      nowMs,
      timeoutHours,
    );
  const installed = countBy(rows, ({ installation }) => installation);
  installed.delete(null);
  return {
    totalByInfoFirmware: countBy(rows, ({ version }) => version),
    totalByScomState: countBy(rows, state),
    totalByType: countBy(rows, ({ type }) => type),
    totalByMonitoringLicense: countBy(rows, ({ monitored }) => monitored),
    totalByInstallation: installed,
    totalByLastContact: new Map<string, number>([
      ["24h", rows.filter((row) => isSilent(row, 24)).length],
      ["7d", rows.filter((row) => isSilent(row, 7 * 24)).length],
      ["never", rows.filter(({ isConnected, lastContactAt }) => !isConnected && lastContactAt === null).length],
    ]),
  };
}

async function expectEqualToCount({ node, caller }: Planted, all: readonly Row[], planted: readonly Planted[]) {
  const owners = planted.filter((one) => mayDo(node, "view", "sensor", one.node)).map((one) => one.node.id);
  const visible = all.filter(({ ownerId }) => owners.includes(ownerId));
  for (const timeout of timeouts) {
    const stats = await countStats(world.ctx, caller, timeout);
    const found = Object.entries(stats).map(([name, list]) => [
      name,
      new Map(list.map(({ _id, count }: { _id: unknown; count: number }) => [_id, count])),
    ]);
    expect(Object.fromEntries(found), `${timeout} h for ${node.id}`).toEqual(
      expectedStats(visible, world.ctx.clock.now(), timeout),
    );
    for (const list of Object.values(stats))
      if (list !== stats.totalByLastContact)
        expect(list.map(({ count }) => -count)).toEqual(list.map(({ count }) => -count).toSorted((a, b) => a - b));
  }
  return visible.length;
}

type Op = (chance: Chance, sensor: string, owner: Planted) => Promise<unknown>;
const edges = [-1, 0, 1, 60_000, -60_000, 1_800_000, -1_800_000, hourMs, -hourMs];
/** At and around each cutoff, and at the limits of their hours. */
function pickContact(chance: Chance): Date | null {
  if (chance.below(5) === 0) return null;
  const cutoff = world.ctx.clock.now() - pick(timeouts, chance) * hourMs;
  const base = chance.below(2) === 0 ? cutoff : Math.floor(cutoff / hourMs) * hourMs;
  return new Date(base + pick(edges, chance));
}

const operations: readonly Op[] = [
  (chance, sensor) =>
    sql`update sensor set is_connected = ${chance.below(3) === 0}, not_responding = ${chance.below(2) === 0},
      last_contact_at = ${pickContact(chance)} where id = ${sensor}`.execute(db),
  (chance, sensor) =>
    sql`update sensor set running_version = ${pick(["1.0.0", "1.1.0", "", "nightly", null], chance)} where id = ${sensor}`.execute(
      db,
    ),
  (chance, sensor) =>
    sql`update sensor set installation = ${pick(installations, chance)}, license_monitoring = ${chance.below(2) === 0}
      where id = ${sensor}`.execute(db),
  (_chance, sensor, { caller }) =>
    sql`update sensor set owner_id = ${caller.id}, owner_path = (select path from account where id = ${caller.id})
      where id = ${sensor}`.execute(db),
  (chance, sensor) =>
    sql`update sensor set is_deleted = ${chance.below(3) === 0}, type = ${pick(["APS", "PS.C1"], chance)} where id = ${sensor}`.execute(
      db,
    ),
  // What a rolled-back transaction changed must not be counted.
  (_chance, sensor) =>
    db
      .transaction()
      .execute(async (tx) => {
        await sql`update sensor set running_version = 'never', is_deleted = not is_deleted where id = ${sensor}`.execute(
          tx,
        );
        throw new Error("rolled back");
      })
      .catch(() => undefined),
];

const sumUpAll = async () => {
  while (await sumUpChanges(db));
};

async function moveDeepest(planted: readonly Planted[]): Promise<void> {
  const [root] = planted;
  const deep = planted.findLast(({ node }) => node.parent?.parent);
  if (!root || !deep) return;
  const position = (id: string) =>
    db.selectFrom("account").select(["id", "path", "ancestor_ids"]).where("id", "=", id).executeTakeFirstOrThrow();
  await db
    .transaction()
    .execute(async (tx) => moveSubtree(tx, await position(deep.node.id), await position(root.node.id)));
}

/** Accounts of which the first one may view everything. */
async function plantWithFullRoot(accounts: number) {
  const size = { minAccounts: accounts, maxAccounts: accounts, maxRoles: 1 };
  const [forest] = fc.sample(forestArbitrary(size), { seed: 1, numRuns: 1 });
  const [[top], [role]] = [forest?.accounts ?? [], forest?.roles ?? []];
  if (!forest || !top || !role) throw new Error("There is no forest");
  Object.assign(role, { permissions: fullPermissions, deleted: false });
  top.role = role;
  const planted = await plantForest(db, forest);
  const [root] = planted;
  if (root === undefined) throw new Error("There is no root");
  return { root, planted };
}

test("SE-12 a sensor is out of contact from the millisecond of each cutoff on", { timeout: 600_000 }, async () => {
  const { root, planted } = await plantWithFullRoot(3);
  const { sensor } = objectIdsOf(0);
  for (const hours of timeouts) {
    const cutoff = world.ctx.clock.now() - hours * hourMs;
    const hour = Math.floor(cutoff / hourMs) * hourMs;
    for (const at of [cutoff, hour, hour + hourMs].flatMap((base) => [base - 1, base, base + 1])) {
      await sql`update sensor set is_connected = false, last_contact_at = ${new Date(at)} where id = ${sensor}`.execute(
        db,
      );
      expect(await expectEqualToCount(root, await readSensors(), planted)).toBe(3);
    }
    await sumUpAll();
  }
});

test("SE-12 statistics equal a count one by one after random changes", { timeout: 600_000 }, async () => {
  const forests = fc.sample(forestArbitrary({ minAccounts: 15, maxAccounts: 30, maxRoles: 4 }), {
    seed: seedOf(61),
    numRuns: rounds(3, 25),
  });
  let counted = 0;
  for (const [round, forest] of forests.entries()) {
    const chance = createChance(seedOf(round + 7));
    const [[top], [role]] = [forest.accounts, forest.roles];
    if (top && role && round % 2 === 0) {
      Object.assign(role, { permissions: fullPermissions, deleted: false });
      top.role = role;
    }
    const planted = await plantForest(db, forest);
    const [root] = planted;
    if (root === undefined) throw new Error("There is no root");
    for (let step = 0; step < 100; step += 1) {
      await pick(operations, chance)(chance, objectIdsOf(chance.below(planted.length)).sensor, pick(planted, chance));
      if (chance.below(8) === 0) await sumUpAll();
      if (chance.below(20) === 0) await deleteEmptySums(db);
      if (step % 20 !== 19) continue;
      const all = await readSensors();
      counted += await expectEqualToCount(root, all, planted);
      counted += await expectEqualToCount(pick(planted, chance), all, planted);
    }
    await moveDeepest(planted);
    counted += await expectEqualToCount(root, await readSensors(), planted);
    await sumUpAll();
    counted += await expectEqualToCount(root, await readSensors(), planted);
  }
  expect(counted).toBeGreaterThan(rounds(100, 1_000));
});

test(
  "SE-12 statistics are exact at any moment while others change, move and sum up",
  { timeout: 600_000 },
  async () => {
    const { root, planted } = await plantWithFullRoot(20);
    let isOver = false;
    const write = async (seed: number) => {
      const chance = createChance(seedOf(seed));
      for (let step = 0; step < rounds(60, 600); step += 1)
        await pick(operations, chance)(chance, objectIdsOf(chance.below(planted.length)).sensor, pick(planted, chance));
    };
    const sumUp = async () => {
      while (!isOver) {
        await sumUpAll();
        await deleteEmptySums(db);
      }
    };
    let checks = 0;
    const check = async () => {
      for (; !isOver; checks += 1)
        await db
          .transaction()
          .setIsolationLevel("repeatable read")
          .execute(async (tx) => {
            const counts = await countByStat(tx, root.caller, [new Date(world.ctx.clock.now())]);
            const sensors = await readSensors(tx);
            const found = (stat: string) =>
              new Map(counts.flatMap((one) => (one.stat === stat && one.n !== 0 ? [[one.value, one.n] as const] : [])));
            const versions = countBy(sensors, ({ version }) => version);
            versions.delete(null);
            expect(found("type")).toEqual(countBy(sensors, ({ type }) => type));
            expect(found("version")).toEqual(versions);
          });
    };
    const writers = Promise.all([write(1), write(2), write(3)]).finally(() => void (isOver = true));
    await Promise.all([writers, sumUp(), sumUp(), check()]);
    await moveDeepest(planted);
    expect(checks).toBeGreaterThan(2);
    for (const _ of [1, 2]) {
      await expectEqualToCount(root, await readSensors(), planted);
      await sumUpAll();
    }
  },
);
