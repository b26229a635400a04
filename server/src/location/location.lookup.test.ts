// Finds locations by ids, external ids and names: at most two for each key, however many have it, and from indexes.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Caller } from "../kit/caller.ts";
import { captureStatements, explainStatement } from "../testing/asked-statements.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";
import { findLocationsByKeys } from "./location.lookup.service.ts";

let world: World;
let owner: Person;
let stranger: Person;
beforeAll(async () => {
  world = await createWorld();
  owner = await world.account("Owner", world.root, fullPermissions);
  stranger = await world.account("Stranger", world.root, fullPermissions);
});
afterAll(() => world.stop());

const callerOf = (person: Person): Caller => ({
  ...person,
  permissions: fullPermissions,
  sessionId: "",
  credentialId: "",
  request: { id: "", idempotency: null, ifMatch: null },
});

/** Plants locations with a name and an external id that are functions of the number `n`. */
async function plant(count: number, name: string, externalId: string | null = null, by = owner): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`insert into location (id, owner_id, owner_path, name, external_id)
    select gen_random_uuid(), ${by.id}::uuid, ${by.path}, replace(${name}, '#', n::text),
      replace(${externalId}::text, '#', n::text)
    from generate_series(1, ${count}::int) n returning id`.execute(world.ctx.db);
  return rows.map(({ id }) => id);
}

const find = (keys: readonly string[], who = owner) => findLocationsByKeys(world.ctx.db, callerOf(who), keys);

test("each spelling of a name has two of its locations at most, and all spellings share them", async () => {
  const ids = await plant(40, "Zürich West", "twins");
  const spellings = ["zurich west", "ZÜRICH WEST", "Zu\u0308rich West", "zÜrich wesT"];
  const found = await find([...spellings, "twins", "nowhere"]);
  const [list] = found.values();
  expect(list).toHaveLength(2);
  for (const key of spellings) expect(found.get(key), key).toBe(list);
  const byExternalId = found.get("twins") ?? [];
  expect(byExternalId).toHaveLength(2);
  for (const { id } of [...(list ?? []), ...byExternalId]) expect(ids).toContain(id);
  expect(found.get("nowhere")).toEqual([]);
});

test("only visible locations count, also behind many that are not visible", async () => {
  await plant(30, "Corner", "corner-1", stranger);
  const [mine] = await plant(1, "Corner", "corner-1");
  const found = await find(["corner", "corner-1"]);
  expect([...found.values()].map((list) => list.map(({ id }) => id))).toEqual([[mine], [mine]]);
});

test("an id in any case precedes an external id, which precedes a name", async () => {
  const [first = ""] = await plant(1, "First", "Second");
  const [second = ""] = await plant(1, "Second", first);
  const found = await find([first, first.toUpperCase(), "second", "Second"]);
  expect([...found.values()].map((list) => list.map(({ id }) => id))).toEqual([[first], [first], [second], [first]]);
});

test("2,000 locations, half of them with the same name, are found by indexes", async () => {
  await plant(1000, "Mall", "mall");
  await plant(1000, "Store #", "store-#");
  await sql`analyze location`.execute(world.ctx.db);
  const keys = Array.from({ length: 1000 }, (_, n) => `Shop ${n}`);
  for (const who of [owner, stranger, world.root]) {
    const sent = await captureStatements(() => find([...keys, "MALL"], who));
    const lookup = sent.find(({ text }) => text.includes("external_id"));
    const plan = lookup ? await explainStatement(world.ctx.db, lookup) : "";
    expect(plan).toContain("Index Scan using location_by_name");
  }
});
