// The numbers of customers equal those of the lists, whatever was changed and however far the totals have followed.
import { semverKey } from "@psp/contract/firmware/semver.ts";
import { forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import { mayActOnAccount, mayDo } from "@psp/contract/permission/oracle.testing.ts";
import { rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Database, openDatabase } from "../db/database.ts";
import { countRows } from "../db/list.ts";
import { migrate } from "../db/migrate.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import { moveSubtree } from "../owned/tree.store.ts";
import { sensorConditions } from "../sensor/sensor.store.ts";
import { computeContactCutoff } from "../sensor/sensor.rights.ts";
import { createChance, type Chance, pick } from "../testing/chance.ts";
import { createTestDatabase, type TestDatabase } from "../testing/postgres.ts";
import { objectIdsOf, plantForest, type Planted } from "../testing/rights/account-forest.ts";
import { findCustomers, findParent } from "../customer/customer.store.ts";
import { updateTotalsIn } from "../customer/totals.service.ts";
import { hasOutdatedChanges, applyOutdatedChanges } from "../customer/totals.store.ts";

const timeoutHours = 24;
const versions = ["1.0.0", "1.1.0-rc.1", "1.1.0", "1.10.0", "2.0.0-beta", "nightly"];

let place: TestDatabase;
let db: Database;

beforeAll(async () => {
  place = await createTestDatabase(migrate);
  db = openDatabase(place.url, { pool: 4, log: pino({ level: "silent" }) });
});
afterAll(async () => {
  await db.destroy();
  await place.drop();
});

async function follow(cutoff: Date, limit: number): Promise<void> {
  await db.transaction().execute((tx) => updateTotalsIn(tx, cutoff, limit));
  if (await hasOutdatedChanges(db)) await db.transaction().execute(applyOutdatedChanges);
}

async function plantFirmware(n: number, chance: Chance): Promise<void> {
  const version = pick(["1.0.0", "1.1.0", "1.2.0-rc.1", "1.10.0", "2.0.0-beta"], chance);
  await sql`update firmware set precedence = ${semverKey(version)}, type = ${pick(["APS", "PS.C1"], chance)},
    is_deleted = ${chance.below(4) === 0} where id = ${objectIdsOf(n).firmware} or id = ${objectIdsOf(n).firmwareForChildren}`.execute(
    db,
  );
}

type Op = (chance: Chance, at: { sensor: string; owner: Planted; location: string; now: Date }) => Promise<unknown>;

const issue = async (sensor: string, status: "Error" | "Warning", startMs: number, location: string | null) => {
  const id = uuidv7(startMs);
  // The type makes the entry unique, because two may start in the same millisecond.
  await sql`insert into monitoring_status (id, sensor_num, location_id, start_ms, end_ms, issue_type, issue_status, issue_message)
    select ${id}, num, ${location}, ${startMs}, ${startMs}, ${`osd ${id}`}, ${status}, 'x' from sensor where id = ${sensor}`.execute(
    db,
  );
  await sql`insert into sensor_issue (sensor_num, issue_type, issue_status, status_id)
    select num, ${`osd ${status}`}, ${status}, ${id} from sensor where id = ${sensor}
    on conflict (sensor_num, issue_type) do update set status_id = excluded.status_id`.execute(db);
};

const edges = [-1, 0, 1, 60_000, -60_000, 3_600_000];

const operations: readonly Op[] = [
  async (chance, { sensor, now }) => {
    const at = new Date(computeContactCutoff(now, timeoutHours).getTime() + pick(edges, chance));
    return sql`update sensor set is_connected = ${chance.below(3) === 0}, last_contact_at = ${at} where id = ${sensor}`.execute(
      db,
    );
  },
  async (chance, { sensor }) =>
    sql`update sensor set running_version = ${pick([...versions, null], chance)} where id = ${sensor}`.execute(db),
  async (_chance, { sensor, owner: { caller } }) =>
    sql`update sensor set owner_id = ${caller.id}, owner_path = (select path from account where id = ${caller.id})
      where id = ${sensor}`.execute(db),
  async (chance, { sensor, now }) =>
    sql`update sensor set visible_from = ${new Date(now.getTime() - pick([0, 1, 60_000], chance))} where id = ${sensor}`.execute(
      db,
    ),
  async (chance, { sensor }) =>
    sql`update sensor set is_deleted = ${chance.below(2) === 0}, type = ${pick(["APS", "PS.C1"], chance)} where id = ${sensor}`.execute(
      db,
    ),
  async (chance, { sensor, now, location }) =>
    issue(
      sensor,
      pick(["Error", "Warning"], chance),
      now.getTime() - pick([0, 1, 60_000], chance),
      pick([null, location], chance),
    ),
  async (_chance, { sensor }) =>
    sql`delete from sensor_issue where sensor_num = (select num from sensor where id = ${sensor})`.execute(db),
  async (chance, { owner: { caller } }) =>
    sql`update account set is_deleted = ${chance.below(2) === 0} where id = ${caller.id} and parent_id is not null`.execute(
      db,
    ),
];

async function expectEqualToLists(caller: Caller, parentId: string, now: Date): Promise<number> {
  const cutoff = computeContactCutoff(now, timeoutHours);
  const parent = await findParent(db, caller, parentId);
  if (parent === null) return 0;
  const part = { skip: 0, limit: 500 };
  const rows = await findCustomers(db, caller, parent, {}, { sort: [], part, cutoff });
  const count = (filter: Parameters<typeof sensorConditions>[1]) =>
    countRows(db, "sensor", sensorConditions(caller, filter, { now, timeoutHours }));
  for (const row of rows) {
    const ownerTreeID = row.id;
    const listed = {
      sensors: await count({ ownerTreeID }),
      offline: await count({ ownerTreeID, connected: "disconnected" }),
      errors: await count({ ownerTreeID, issueStatus: ["Error"] }),
      warnings: await count({ ownerTreeID, issueStatus: ["Warning"] }),
      outdated: await count({ ownerTreeID, outdated: true }),
    };
    const { sensors, offline, errors, warnings, outdated } = row;
    expect({ sensors, offline, errors, warnings, outdated }, `${row.id} for ${caller.id}`).toEqual(listed);
  }
  return rows.reduce((sum, row) => sum + row.sensors + row.offline + row.errors + row.warnings + row.outdated, 0);
}

test("PE-01 numbers of customers equal the lists after random changes", { timeout: 600_000 }, async () => {
  const forests = fc.sample(forestArbitrary({ minAccounts: 20, maxAccounts: 40, maxRoles: 5 }), {
    seed: seedOf(48),
    numRuns: rounds(3, 25),
  });
  let counted = 0;
  let now = new Date("2026-03-29T00:59:59.999Z");
  for (const [round, forest] of forests.entries()) {
    const chance = createChance(seedOf(round + 1));
    // A random role of the root account seldom shows sensors. This one shows all, for which nothing is checked per row.
    const [[top], [role]] = [forest.accounts, forest.roles];
    if (top && role && round % 2 === 0) {
      Object.assign(role, { permissions: fullPermissions, deleted: false });
      top.role = role;
    }
    const planted = await plantForest(db, forest);
    for (const n of forest.accounts.keys()) await plantFirmware(n, chance);
    await follow(computeContactCutoff(now, timeoutHours), 1000);
    for (let step = 0; step < 120; step += 1) {
      const n = chance.below(planted.length);
      const at = { sensor: objectIdsOf(n).sensor, owner: pick(planted, chance), now };
      await pick(operations, chance)(chance, { ...at, location: objectIdsOf(chance.below(planted.length)).location });
      // Account 0 is the root, whose releases all others see.
      if (chance.below(8) === 0) await plantFirmware(pick([0, n], chance), chance);
      if (chance.below(10) === 0)
        now = new Date(now.getTime() + pick([1, 60_000, 3_600_000, 90_000_000, -60_000], chance));
      if (chance.below(6) === 0) await follow(computeContactCutoff(now, timeoutHours), pick([1, 3, 1000], chance));
      if (step % 12 === 0) {
        // So many marks are examined in another way than a few.
        if (step % 24 === 0)
          await sql`insert into sensor_mark (sensor_num) select -1 from generate_series(1, 1001)`.execute(db);
        const { caller } = pick(planted, chance);
        const { node } = pick(planted, chance);
        counted += await expectEqualToLists(caller, caller.id, now);
        counted += await expectEqualToLists(caller, node.id, now);
        counted += await expectEqualToLists(planted[0]?.caller ?? caller, planted[0]?.caller.id ?? "", now);
      }
    }
    // A whole subtree moves below the root, and the totals follow later.
    const [root] = planted;
    const deep = planted.findLast(({ node }) => node.parent?.parent);
    if (root && deep) {
      const position = async (id: string) =>
        db.selectFrom("account").select(["id", "path", "ancestor_ids"]).where("id", "=", id).executeTakeFirstOrThrow();
      await db
        .transaction()
        .execute(async (tx) => moveSubtree(tx, await position(deep.node.id), await position(root.node.id)));
      counted += await expectEqualToLists(root.caller, root.caller.id, now);
      await follow(computeContactCutoff(now, timeoutHours), 1000);
      counted += await expectEqualToLists(root.caller, root.caller.id, now);
    }
    await follow(computeContactCutoff(now, timeoutHours), 1000);
    await expectTotalsEqualScan(now);
  }
  expect(counted).toBeGreaterThan(rounds(200, 2000));
});

/** The stored totals themselves, without the correction by marks. */
async function expectTotalsEqualScan(now: Date): Promise<void> {
  const cutoff = computeContactCutoff(now, timeoutHours);
  const scan = await sql`select owner_path, count(*) as sensors,
      count(*) filter (where not is_connected and coalesce(last_contact_at <= ${cutoff}, true)) as offline,
      count(*) filter (where v.precedence < (select max(f.precedence) from firmware f join account a on a.id = f.owner_id
        where a.parent_id is null and f.children_can_view and not f.is_deleted and f.precedence like '%~' and f.type = s.type)
      ) as outdated
    from sensor s left join reported_version v on v.type = s.type and v.version = s.running_version
    where not is_deleted group by 1 order by 1`.execute(db);
  const stored =
    await sql`select owner_path, sensors, offline, outdated from owner_total where sensors <> 0 order by 1`.execute(db);
  expect(stored.rows).toEqual(scan.rows);
  const versions = await sql`select owner_path, type, running_version as version, count(*) as sensors
    from sensor where not is_deleted and running_version <> '' group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  const storedVersions = await sql`select owner_path, type, version, v.sensors
    from owner_version v join owner_total on num = owner_num join reported_version r on r.num = version_num
    where v.sensors <> 0 order by 1, 2, 3`.execute(db);
  expect(storedVersions.rows).toEqual(versions.rows);
}

test("PE-01 only children that the caller may view are customers", { timeout: 300_000 }, async () => {
  const forests = fc.sample(forestArbitrary({ minAccounts: 30, maxAccounts: 60, maxRoles: 6 }), {
    seed: seedOf(49),
    numRuns: rounds(1, 25),
  });
  let seen = 0;
  for (const forest of forests) {
    const planted = await plantForest(db, forest);
    for (const { node, caller } of planted) {
      for (const { node: parent } of planted) {
        const found = await findParent(db, caller, parent.id);
        const expected = !parent.deleted && mayActOnAccount(node, "view", parent);
        expect(found !== null, `${parent.id} for ${node.id}`).toBe(expected);
        if (found === null) continue;
        const rows = await findCustomers(db, caller, found, {}, allOf());
        const children = parent.children.filter((child) => !child.deleted && mayActOnAccount(node, "view", child));
        expect(rows.map(({ id }) => id).toSorted()).toEqual(children.map(({ id }) => id).toSorted());
        for (const row of rows) {
          const top = children.find(({ id }) => id === row.id);
          const owners = planted.filter((one) => top !== undefined && isWithin(one.node, top));
          expect(row.sensors).toBe(owners.filter((one) => mayDo(node, "view", "sensor", one.node)).length);
        }
        seen += rows.length;
      }
    }
  }
  expect(seen).toBeGreaterThan(rounds(25, 50));
});

const allOf = () => ({ sort: [], part: { skip: 0, limit: 500 }, cutoff: new Date(0) });

function isWithin(node: Planted["node"], top: Planted["node"]): boolean {
  return node === top || (node.parent !== null && isWithin(node.parent, top));
}
