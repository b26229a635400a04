// Queries of events use indexes, and events of 10,000 locations take three queries.
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../kit/caller.ts";
import { captureStatements, explainStatement, type Statement } from "../testing/asked-statements.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { findEventsOfLocations, type LocationEvent } from "./event.service.ts";

let world: World;
let chain: Person;
/** A shop of the chain that sees its own locations only. */
let shop: Person;
let ids: string[];

const fleet = 10_000;
const first = parseDay("2026-11-01") ?? 0;

beforeAll(async () => {
  world = await createWorld();
  const { db } = world.ctx;
  chain = await world.account("Chain", world.root, fullPermissions);
  const view = { ownable: { measurement: { canViewObject: { me: true } } } };
  shop = await world.account("Shop", chain, view);
  const rest = await world.account("Rest", world.root, null);
  await sql`
    insert into location (id, owner_id, owner_path, name, tags)
    select gen_random_uuid(), case when n <= 3 then ${shop.id}::uuid else ${chain.id}::uuid end,
      case when n <= 3 then ${shop.path} else ${chain.path} end, 'Shop ' || n, array['tag ' || n % 50]
    from generate_series(1, ${fleet}::int) n`.execute(db);
  ids = (await sql<{ id: string }>`select id from location`.execute(db)).rows.map(({ id }) => id);
  // Most events belong to someone else or lie in other years.
  await sql`
    insert into event (id, owner_id, owner_path, name, first_day, last_day, scope_kind, tag)
    select gen_random_uuid(), case when n % 20 = 0 then ${chain.id}::uuid else ${rest.id}::uuid end,
      case when n % 20 = 0 then ${chain.path} else ${rest.path} end, 'Event ' || n,
      ${first}::int - n % 2000, ${first}::int - n % 2000 + n % 9,
      (array['tag', 'owner', 'locations'])[n % 3 + 1], case when n % 3 = 0 then 'TAG ' || n % 60 end
    from generate_series(1, 12000) n`.execute(db);
  await sql`
    insert into event_location (event_id, location_id, owner_id)
    select e.id, l.id, l.owner_id from (select *, row_number() over () as n from event where scope_kind = 'locations') e
    join (select *, row_number() over () as n from location) l on l.n = e.n`.execute(db);
  await sql`analyze location, event, event_location`.execute(db);
});
afterAll(() => world.stop());

const callerOf = (person: Person, permissions = fullPermissions) => ({ ...person, permissions }) as unknown as Caller;

async function scannedFully(sent: readonly Statement[]): Promise<string[]> {
  const plans = await Promise.all(sent.map((one) => explainStatement(world.ctx.db, one)));
  return plans.filter((plan) => /Seq Scan on event/.test(plan));
}

test("events of 10,000 locations take three queries, none of which scans all events", async () => {
  let found = new Map<string, readonly LocationEvent[]>();
  const sent = await captureStatements(async () => {
    found = await findEventsOfLocations(world.ctx, callerOf(chain), ids, first - 30, first);
  });
  const own = sent.filter(({ isOwn }) => isOwn);
  expect(own).toHaveLength(3);
  expect(found.size).toBe(fleet);
  const [including] = own.filter(({ text }) => text.includes('"ownerId"') && text.includes("from event"));
  expect(including).toBeDefined();
  expect(await scannedFully(including ? [including] : [])).toEqual([]);
});

test("events of 3 locations take three queries with indexes only", async () => {
  const sent = await captureStatements(() =>
    findEventsOfLocations(world.ctx, callerOf(chain), ids.slice(0, 3), first - 30, first),
  );
  const own = sent.filter(({ isOwn }) => isOwn);
  expect(own).toHaveLength(3);
  const plans = await Promise.all(own.map((one) => explainStatement(world.ctx.db, one)));
  expect(plans.filter((plan) => /Seq Scan on (event|location)/.test(plan))).toEqual([]);
});

test("lists of a shop never scan all events or locations", async () => {
  for (const query of [
    "",
    "includeTotals=true",
    "name=event%2012",
    "from=2026-10-01&to=2026-10-31",
    `measID=${ids[0]}`,
  ]) {
    const sent = await captureStatements(async () => {
      expect((await world.call(shop, "GET", `/api/v2/event?limit=50&${query}`)).status).toBe(200);
    });
    const questions = sent.filter(({ text }) => /from event\b/.test(text));
    expect(questions.length).toBeGreaterThan(0);
    const plans = await Promise.all(questions.map((one) => explainStatement(world.ctx.db, one)));
    expect(
      plans.filter((plan) => /Seq Scan on (event|location)\b/.test(plan)),
      query,
    ).toEqual([]);
  }
});
