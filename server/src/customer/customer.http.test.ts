// The customer call over HTTP: order, filters, links, rights, boundaries, and live messages.
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reloadCaller } from "../role/rights.service.ts";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type JsonObject, type Person, type World } from "../testing/world.ts";
import { findCustomers, findParent } from "./customer.store.ts";
import { customerTotalsJob } from "./totals.job.ts";

const clock = createStillClock();
let world: World;
let dealer: Person;
beforeAll(async () => {
  world = await createWorld({ clock });
  dealer = await world.account("Dealer", world.root, fullPermissions);
});
afterAll(() => world.stop());

let macs = 0;
const nextMac = () => toMac(0x0200_0000_0100 + (macs += 1));
const dayMs = 86_400_000;

type Facts = { connected?: boolean; contactMs?: number | null; version?: string; location?: string | null };

async function sensor(owner: Person, { connected = true, contactMs = 0, version, location = null }: Facts = {}) {
  const id = nextMac();
  const contact = contactMs === null ? null : new Date(clock.now() - contactMs);
  await world.ctx.db
    .insertInto("sensor")
    .values({
      id,
      owner_id: owner.id,
      owner_path: owner.path,
      type: "APS",
      location_id: location,
      is_connected: connected,
      last_contact_at: contact,
      running_version: version ?? null,
    })
    .execute();
  return id;
}

async function open(
  id: string,
  status: "Error" | "Warning",
  { startMs = clock.now(), location = null as string | null } = {},
) {
  const statusId = crypto.randomUUID();
  await sql`insert into monitoring_status (id, sensor_num, location_id, start_ms, end_ms, issue_type, issue_status, issue_message)
    select ${statusId}, num, ${location}, ${startMs}, ${startMs}, 'osd', ${status}, 'x' from sensor where id = ${id}`.execute(
    world.ctx.db,
  );
  await sql`insert into sensor_issue (sensor_num, issue_type, issue_status, status_id)
    select num, 'osd', ${status}, ${statusId} from sensor where id = ${id}`.execute(world.ctx.db);
}

async function list(who: Person, query = ""): Promise<{ objects: JsonObject[]; total: number }> {
  const answer = await world.call(who, "GET", `/api/v2/customer?includeTotals=true${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { objects: JsonObject[]; total: number };
}

async function rowOf(who: Person, customer: Person, query = ""): Promise<JsonObject | undefined> {
  return (await list(who, query)).objects.find(({ _id }) => _id === customer.id);
}

async function total(who: Person, query: string): Promise<unknown> {
  return (await world.call(who, "GET", `/api/v2/sensor?includeTotals=true&limit=1&${query}`)).at("total");
}

const names = ({ objects }: { objects: JsonObject[] }) => objects.map(({ name }) => name);

test("AC-01 the customer with the worst trouble is first, and each number is that of its list", async () => {
  const who = await world.account("Order", dealer, fullPermissions);
  const make = (name: string) => world.account(name, who, fullPermissions);
  const [fine, silent, warned, failing] = [await make("A fine"), await make("B"), await make("C"), await make("D")];
  const branch = await world.account("Branch", failing, fullPermissions);
  await world.firmware(who, "APS", "1.10.0");
  await world.firmware(who, "APS", "2.0.0-rc.1");
  await sensor(fine, { version: "1.10.0" });
  await sensor(silent, { connected: false, contactMs: null, version: "1.9.0" });
  await open(await sensor(warned), "Warning");
  await open(await sensor(branch, { connected: false, contactMs: 2 * dayMs }), "Error");
  await customerTotalsJob(world.ctx).run();
  const all = await list(who);
  expect(names(all)).toEqual(["D", "C", "B", "A fine"]);
  expect(all.objects[0]).toMatchObject({ children: 1, sensors: 1, offline: 1, errors: 1, warnings: 0, outdated: 0 });
  expect(all.objects[2]).toMatchObject({ children: 0, sensors: 1, offline: 1, errors: 0, outdated: 1 });
  for (const { _id, ...row } of all.objects) {
    const tree = `ownerTreeID=${String(_id)}`;
    expect({
      sensors: await total(who, tree),
      offline: await total(who, `${tree}&connected=disconnected`),
      errors: await total(who, `${tree}&issueStatus=Error`),
      warnings: await total(who, `${tree}&issueStatus=Warning`),
      outdated: await total(who, `${tree}&outdated=true`),
    }).toEqual(expect.objectContaining(pick(row)));
  }
  expect(names(await list(who, "&trouble=offline"))).toEqual(["D", "B"]);
  expect(names(await list(who, "&trouble=warnings&trouble=outdated"))).toEqual(["C", "B"]);
  expect(names(await list(who, "&sortBy=name"))).toEqual(["A fine", "B", "C", "D"]);
  expect(names(await list(who, "&name=fine"))).toEqual(["A fine"]);
  expect(await list(who, "&skip=4")).toEqual({ objects: [], total: 4 });
  expect(names(await list(who, "&skip=1&limit=2"))).toEqual(["C", "B"]);
  expect(names(await list(who, `&parentID=${failing.id}`))).toEqual(["Branch"]);
});

const pick = ({ sensors, offline, errors, warnings, outdated }: Omit<JsonObject, "_id">) => ({
  sensors,
  offline,
  errors,
  warnings,
  outdated,
});

test.each(["name", "children", "sensors", "errors", "warnings", "offline", "outdated", "completeness", "lastSignInAt"])(
  "AC-01 customers can be sorted by %s in both directions",
  async (column) => {
    const up = await list(dealer, `&sortBy=${column}`);
    const down = await list(dealer, `&sortBy=-${column}`);
    const values = (rows: JsonObject[]) => rows.map((row) => row[column]).filter((value) => value !== null);
    expect(values(down.objects)).toEqual(values(up.objects).toReversed());
  },
);

test("SE-02 a sensor counts as offline from the instant of the timeout on", async () => {
  const customer = await world.account("Timeout", dealer, fullPermissions);
  const id = await sensor(customer, { connected: false, contactMs: dayMs - 1 });
  const job = customerTotalsJob(world.ctx);
  await job.run();
  expect(await rowOf(dealer, customer)).toMatchObject({ sensors: 1, offline: 0 });
  const socket = await world.live(dealer);
  clock.moveTo(clock.now() + 1);
  // At once, before the totals have followed.
  expect(await rowOf(dealer, customer)).toMatchObject({ offline: 1 });
  expect(await total(dealer, `ownerTreeID=${customer.id}&connected=disconnected`)).toBe(1);
  // Nothing is written to the sensor, so the job announces it.
  await job.run();
  await socket.heard("sensor", "update", id);
  expect(await rowOf(dealer, customer)).toMatchObject({ offline: 1 });
});

test("an issue from before the present owner counts for those who see its location", async () => {
  const customer = await world.account("Former", dealer, fullPermissions);
  const location = crypto.randomUUID();
  await world.ctx.db
    .insertInto("location")
    .values({ id: location, name: "Shop", owner_id: customer.id, owner_path: customer.path })
    .execute();
  const id = await sensor(customer, { location });
  await open(id, "Error", { startMs: clock.now() - 1, location });
  await sql`update sensor set visible_from = ${new Date(clock.now())} where id = ${id}`.execute(world.ctx.db);
  const blind = await world.account("Blind", dealer, {
    owner: { canViewOwner: { relativeAncestorLevel: 1, roles: [customer.roleId ?? ""] } },
    ownable: { sensor: { canViewObject: { roles: [customer.roleId ?? ""] } } },
  });
  await customerTotalsJob(world.ctx).run();
  expect(await rowOf(dealer, customer)).toMatchObject({ errors: 1 });
  expect(await total(dealer, `ownerTreeID=${customer.id}&issueStatus=Error`)).toBe(1);
  expect(await rowOf(blind, customer, `&parentID=${dealer.id}`)).toMatchObject({ sensors: 1, errors: 0 });
  expect(await total(blind, `ownerTreeID=${customer.id}&issueStatus=Error`)).toBe(0);
});

test("PE-01 customers, numbers and links reveal nothing of accounts outside the view scope", async () => {
  const customer = await world.account("Hidden", dealer, fullPermissions);
  await open(await sensor(customer), "Error");
  const stranger = await world.account("Stranger", world.root, fullPermissions);
  const alone = await world.account("Alone", dealer, { ownable: { sensor: { canViewObject: { me: true } } } });
  const roleless = await world.account("Roleless", dealer, null);
  const none = { objects: [], total: 0 };
  for (const who of [stranger, alone]) {
    for (const query of ["", `&parentID=${dealer.id}`, `&parentID=${customer.id}`, "&parentID=no-id", "&name=Hidden"])
      expect(await list(who, query)).toEqual(none);
    expect(await total(who, `ownerTreeID=${dealer.id}`)).toBe(0);
    expect(await total(who, "ownerTreeID=no-id")).toBe(0);
  }
  expect(await list(roleless)).toEqual(none);
  // Sees the account, but not its sensors.
  const clerk = await world.account("Clerk", world.root, {
    owner: { canViewOwner: { roles: [customer.roleId ?? "", dealer.roleId ?? ""] } },
  });
  expect(await rowOf(clerk, customer, `&parentID=${dealer.id}`)).toMatchObject({ sensors: 0, errors: 0 });
  expect(await list(clerk, `&parentID=${dealer.id}&trouble=errors`)).toEqual(none);
  expect((await world.call(null, "GET", "/api/v2/customer")).status).toBe(401);
});

test("SE-03 a batch of sensors moves all numbers at once", async () => {
  const [from, to] = [
    await world.account("From", dealer, fullPermissions),
    await world.account("To", dealer, fullPermissions),
  ];
  const ids = await Promise.all(Array.from({ length: 5 }, () => sensor(from, { connected: false, contactMs: null })));
  const body = { sensorIDs: ids, changes: { owner: to.id } };
  const answer = await world.call(dealer, "PUT", "/api/v2/sensor/batch-update", { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const numbers = async () => [await rowOf(dealer, from), await rowOf(dealer, to)].map((row) => row?.["offline"]);
  expect(await numbers()).toEqual([0, 5]);
  await customerTotalsJob(world.ctx).run();
  expect(await numbers()).toEqual([0, 5]);
});

test("SE-02 totals stay exact while sensors change and totals follow at the same time", async () => {
  const customers = await Promise.all(["P", "Q"].map((name) => world.account(name, dealer, fullPermissions)));
  const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => sensor(customers[n % 2] ?? dealer)));
  const job = customerTotalsJob(world.ctx);
  const change = async (id: string, n: number) => {
    const owner = customers[n % 2] ?? dealer;
    await sql`update sensor set owner_id = ${owner.id}, owner_path = ${owner.path}, is_connected = ${n % 3 === 0},
      running_version = ${`1.${n % 4}.0`} where id = ${id}`.execute(world.ctx.db);
  };
  for (let round = 0; round < 5; round += 1)
    await Promise.all([job.run(), ...ids.map((id, n) => change(id, n * round + round)), job.run()]);
  const numbers = () => Promise.all(customers.map((one) => rowOf(dealer, one)));
  const marked = await numbers();
  await job.run();
  expect(await numbers()).toEqual(marked);
  for (const [index, row] of marked.entries())
    expect(row?.["sensors"]).toBe(await total(dealer, `ownerTreeID=${customers[index]?.id ?? ""}`));
  expect((await sql`select id from sensor_mark`.execute(world.ctx.db)).rows).toEqual([]);
});

/** Number of index scans of sensors by one list of customers. */
async function lookUpsOf(who: Person): Promise<number> {
  const { db } = world.ctx;
  return db.transaction().execute(async (tx) => {
    const { id, name, path, email } = who;
    const request = { id: "", idempotency: null, ifMatch: null };
    const noRights = { roleId: null, permissions: null, parentAccounts: [], sessionId: "", credentialId: "" };
    const caller = await reloadCaller(tx, { ...noRights, id, name, path, email, request });
    const parent = await findParent(tx, caller, who.id);
    if (parent === null) throw new Error("The caller does not see itself");
    const counters = sql<{ n: number }>`select sum(pg_stat_get_xact_numscans(indexrelid))::int as n from pg_index
      where indrelid in ('counted_sensor'::regclass, 'sensor'::regclass)`;
    const before = await counters.execute(tx);
    const view = { sort: [], part: { skip: 0, limit: 50 }, cutoff: new Date(clock.now()) };
    await findCustomers(tx, caller, parent, {}, view);
    const after = await counters.execute(tx);
    return (after.rows[0]?.n ?? 0) - (before.rows[0]?.n ?? 0);
  });
}

test("AC-01 the list looks up no marked sensors of others, however many there are", async () => {
  const { db } = world.ctx;
  const crowd = await world.account("Crowd", world.root, fullPermissions);
  const small = await world.account("Small", world.root, fullPermissions);
  const shop = await world.account("Shop", small, fullPermissions);
  await sql`insert into sensor (id, owner_id, owner_path, type, is_connected)
    select '02:00:00:01:' || substr(lpad(to_hex(n), 4, '0'), 1, 2) || ':' || substr(lpad(to_hex(n), 4, '0'), 3), ${crowd.id}, ${crowd.path}, 'APS', true
    from generate_series(1, 2000) n`.execute(db);
  await customerTotalsJob(world.ctx).run();
  await sql`update sensor set is_connected = false where owner_id = ${crowd.id}`.execute(db);
  await sql`update sensor set running_version = '1.0.0' where owner_id = ${crowd.id}`.execute(db);
  await sensor(shop, { connected: false, contactMs: null });
  await sql`analyze sensor, counted_sensor, sensor_mark, account`.execute(db);
  expect(await rowOf(small, shop)).toMatchObject({ sensors: 1, offline: 1 });
  expect(await lookUpsOf(small)).toBeLessThan(50);
  await customerTotalsJob(world.ctx).run();
  expect((await sql`select from sensor_mark`.execute(db)).rows).toHaveLength(0);
  expect(await rowOf(small, shop)).toMatchObject({ sensors: 1, offline: 1 });
});

test("AC-01 versions that no sensor reports any more are not kept", async () => {
  const { db } = world.ctx;
  const id = await sensor(dealer, { version: "7.7.7" });
  const kept = async () => (await sql`select from reported_version where version = '7.7.7'`.execute(db)).rows.length;
  await customerTotalsJob(world.ctx).run();
  // A job cleans when it starts.
  await customerTotalsJob(world.ctx).run();
  expect(await kept()).toBe(1);
  await sql`update sensor set running_version = '7.7.8' where id = ${id}`.execute(db);
  await customerTotalsJob(world.ctx).run();
  await customerTotalsJob(world.ctx).run();
  expect(await kept()).toBe(0);
});
