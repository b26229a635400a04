// Every query of a small account among many uses an index and never scans the whole table.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { explainStatement, captureStatements } from "../testing/asked-statements.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

let world: World;
let small: Person;

beforeAll(async () => {
  world = await createWorld();
  small = await world.account("Small", world.root, fullPermissions);
  const rest = await world.account("Rest", world.root, null);
  await sql`insert into sensor (id, owner_id, owner_path, type, is_deleted, is_connected, groups)
    select '02:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'),
      case when n % 500 = 0 then ${small.id}::uuid else ${rest.id}::uuid end,
      case when n % 500 = 0 then ${small.path} else ${rest.path} end,
      (array['APS', 'PS.C1', 'ZOD'])[n % 3 + 1], n % 10 = 0, n % 2 = 0, array['entrance']
    from generate_series(1, 20000) n`.execute(world.ctx.db);
  await sql`analyze sensor`.execute(world.ctx.db);
});
afterAll(() => world.stop());

const filters = [
  "",
  "sensorType=APS",
  "connected=connected",
  "connected=disconnected",
  "connected=notResponding",
  "installation=failed",
  "installation=waiting&installation=installing",
  "lastContact=24h",
  "lastContact=24h&lastContact=never",
  "artifactID=0190a000-0000-7000-8000-000000000001&installation=failed",
  "monitored=true",
  "issueStatus=Error&acknowledged=false",
  "groups=entrance",
  "claimable=disabled",
  "hasLocation=false",
  "sensorID=00",
  "artifactRunningID=0190a000-0000-7000-8000-000000000001",
];

async function plansOf(who: Person, query: string): Promise<{ text: string; plan: string }[]> {
  const sent = await captureStatements(async () => {
    const reply = await world.call(who, "GET", `/api/v2/sensor?${query}`);
    expect(reply.status, query).toBe(200);
  });
  const questions = sent.filter(({ text }) => /^\s*(select|with)\b[^]*\bfrom\s+"?sensor"?\b/i.test(text));
  return Promise.all(
    questions.map(async (statement) => ({
      text: statement.text,
      plan: await explainStatement(world.ctx.db, statement),
    })),
  );
}

test.for(["false", "true"])(
  "SE-02 the list of a small view never scans all sensors (with the deleted: %s)",
  async (includeDeleted) => {
    for (const filter of filters)
      for (const shape of [
        "limit=50&includeTotals=true",
        "limit=50&sortBy=-_id",
        "limit=50&sortBy=lastContactAt",
        "onlyIDs=true",
      ]) {
        const query = `${shape}&includeDeleted=${includeDeleted}&${filter}`;
        const plans = await plansOf(small, query);
        expect(plans.length, query).toBeGreaterThan(0);
        for (const { text, plan } of plans) {
          expect(plan, `${query}: ${text}`).not.toContain("Seq Scan on sensor");
          expect(plan, `${query}: ${text}`).toContain("Index Cond");
        }
      }
  },
);

test("SE-02 a deep page of the whole fleet uses an index-only scan", async () => {
  await sql`vacuum (analyze) sensor`.execute(world.ctx.db);
  const plans = await plansOf({ ...world.root }, "limit=50&skip=9000");
  expect(plans.map(({ plan }) => plan).join("\n\n")).toContain("Index Only Scan using sensor_pkey");
  for (const { text, plan } of plans) expect(plan, text).not.toContain("Seq Scan on sensor");
});
