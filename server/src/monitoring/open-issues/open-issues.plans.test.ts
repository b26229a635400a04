// The list of open issues of a small account among many uses an index, whatever is filtered or sorted.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { captureStatements, explainStatement } from "../../testing/asked-statements.ts";
import { createWorld, type Person, type World } from "../../testing/world.ts";

let world: World;
let small: Person;

beforeAll(async () => {
  world = await createWorld();
  const { db } = world.ctx;
  small = await world.account("Small", world.root, fullPermissions);
  const rest = await world.account("Rest", world.root, null);
  await sql`insert into sensor (id, owner_id, owner_path, type)
    select '02:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'),
      case when n % 500 = 0 then ${small.id}::uuid else ${rest.id}::uuid end,
      case when n % 500 = 0 then ${small.path} else ${rest.path} end, 'APS'
    from generate_series(1, 20000) n`.execute(db);
  await sql`insert into monitoring_status (id, opened_id, sensor_num, start_ms, end_ms, issue_type, issue_status, issue_message)
    select id, id, num, num, num, 'osd', case when num % 2 = 0 then 'Error' else 'Warning' end, ''
    from (select gen_random_uuid() as id, num from sensor) s`.execute(db);
  await sql`insert into sensor_issue (sensor_num, issue_type, issue_status, status_id, opened_id, opened_ms, started_ms, sensor_id, owner_id, owner_path)
    select m.sensor_num, m.issue_type, m.issue_status, m.id, m.id, m.start_ms, m.start_ms, s.id, s.owner_id, s.owner_path
    from monitoring_status m join sensor s on s.num = m.sensor_num`.execute(db);
  await sql`analyze`.execute(db);
});
afterAll(() => world.stop());

const filters = [
  "",
  "issueStatus=Error",
  "issueType=osd&acknowledged=false",
  "tag=north",
  "assigneeID=me",
  "assigneeID=none",
  "olderThan=24h",
  "snoozed=true",
  "sensorIDs=02:00:00:00:01:F4",
];
const sorts = ["severity", "-severity", "since", "-startUTC", "issueType", "sens", "acknowledged", "issueStatus"];

test("open issues of a small view never scan all issues, log entries or sensors", async () => {
  const paths = [
    "/api/v2/issue/count",
    "/api/v2/issue/assignees",
    ...filters.map((filter) => `/api/v2/issue?open=true&limit=50&includeTotals=true&${filter}`),
    ...sorts.map((sort) => `/api/v2/issue?open=true&limit=50&sortBy=${sort}`),
  ];
  for (const path of paths) {
    const sent = await captureStatements(async () => {
      expect((await world.call(small, "GET", path)).status, path).toBe(200);
    });
    for (const statement of sent.filter(({ text }) => /^\s*(select|with)\b/i.test(text))) {
      const plan = await explainStatement(world.ctx.db, statement);
      expect(plan, `${path}: ${statement.text}`).not.toMatch(/Seq Scan on (sensor|sensor_issue|monitoring_status)\b/);
    }
  }
});
