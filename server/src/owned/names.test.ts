// Names in the lists of all nouns: natural order from an index, and tolerant search. cspell:disable -- names in many languages
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainStatement, captureStatements } from "../testing/asked-statements.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let owner: Person;

beforeAll(async () => {
  world = await createWorld();
  owner = await world.account("Names", world.root, fullPermissions);
});
afterAll(() => world.stop());

const inOrder = [
  "2nd Street",
  "10th Street",
  "Ængus",
  "Ängelholm",
  "apple",
  "Łódź 100%",
  "Œuvre",
  "Øresund",
  "store 1",
  "Store 2",
  "Store 2b",
  "Store 10",
  "Store 10000000000000000000000",
  "Straße 7",
  "Zebra",
  "Zürich  HB",
];

const searches: readonly [search: string, found: string][] = [
  ["zurich", "Zürich  HB"],
  ["ZÜRICH hb", "Zürich  HB"],
  ["zu\u0308rich   HB", "Zürich  HB"],
  ["angelholm", "Ängelholm"],
  ["strasse  7", "Straße 7"],
  ["STRAßE", "Straße 7"],
  ["lodz", "Łódź 100%"],
  ["aengus", "Ængus"],
  ["oeuvre", "Œuvre"],
  ["oresund", "Øresund"],
  ["0%", "Łódź 100%"],
  ["ｚｅｂｒａ", "Zebra"],
];

const nouns = {
  account: { path: "/api/account", among: () => `parentID=${owner.id}` },
  location: { path: "/api/v2/measurement", among: () => `ownerID=${owner.id}` },
  role: { path: "/api/role", among: () => `ownerID=${owner.id}` },
  initToken: { path: "/api/init_token", among: () => `ownerID=${owner.id}` },
};

async function make(noun: keyof typeof nouns, name: string): Promise<void> {
  if (noun === "account") return void (await world.account(name, owner, {}));
  const body = { name, owner: owner.id, ...(noun === "role" ? { permissions: {} } : {}) };
  const made = await world.call(owner, "POST", nouns[noun].path.replace("/v2", ""), { body });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
}

test.each(Object.keys(nouns) as (keyof typeof nouns)[])(
  "%s: names sort naturally and are found in either spelling",
  async (noun) => {
    for (const name of inOrder.toSorted((a, b) => (a.length % 5) - (b.length % 5) || (a > b ? -1 : 1)))
      await make(noun, name);
    const { path, among } = nouns[noun];
    const names = async (query: string) =>
      (await world.call(owner, "GET", `${path}?${among()}&limit=100&${query}`)).list
        .map(({ name }) => name as string)
        .filter((name) => inOrder.includes(name));
    expect(await names("sortBy=name")).toEqual(inOrder);
    expect(await names("sortBy=-name")).toEqual(inOrder.toReversed());
    for (const [search, found] of searches)
      expect(await names(`name=${encodeURIComponent(search)}`), search).toEqual([found]);
    for (const none of ["_ebra", "Zebra\\", "%bra"])
      expect(await names(`name=${encodeURIComponent(none)}`), none).toEqual([]);
  },
);

test("locations of 20,000 are sorted and found by indexes", { tags: "prove" }, async () => {
  await sql`insert into location (id, owner_id, owner_path, name)
    select gen_random_uuid(), ${owner.id}::uuid, ${owner.path}, 'Björk ' || n from generate_series(1, 20000) n`.execute(
    world.ctx.db,
  );
  await sql`analyze location`.execute(world.ctx.db);
  const plans = async (query: string) => {
    const sent = await captureStatements(() => world.call(world.root, "GET", `/api/v2/measurement?limit=50&${query}`));
    const pages = sent.filter(({ text }) => /order by .*name_sort/.test(text));
    expect(pages).not.toEqual([]);
    return (await Promise.all(pages.map((page) => explainStatement(world.ctx.db, page)))).join("\n");
  };
  expect(await plans("sortBy=name")).toContain("Index Scan using location_by_name");
  expect(await plans("name=bjork%2019999")).toContain("Bitmap Index Scan on location_name_trgm");
});
