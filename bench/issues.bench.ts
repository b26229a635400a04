// Measures the list of open issues: a page with its total over HTTP, for 100,000 open issues, against bare SQL on the same table.
import pg from "pg";
import { fillDatabase, type Viewer } from "./dataset.ts";
import { type BenchRow, measureAlternately, measureRate } from "./load.ts";
import { createProduct } from "./product.ts";

export type IssueOptions = { rounds: number; ms: number; issues: number };

const lists = [
  { call: "worst first", query: "" },
  { call: "by sensor", query: "&sortBy=sens" },
  { call: "oldest first", query: "&sortBy=since" },
  { call: "tag", query: "&tag=flagship" },
  { call: "older than 24 h, unassigned", query: "&olderThan=24h&assigneeID=none" },
  { call: "mine", query: "&assigneeID=me" },
  { call: "snoozed", query: "&snoozed=true" },
];

export async function benchIssues({ rounds, ms, issues }: IssueOptions, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  const viewers = await fillDatabase(databaseUrl, issues);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await plantIssues(client);
  for (const viewer of viewers.filter(({ name }) => name !== "leaf")) {
    const headers = { authorization: `Bearer ${viewer.token}` };
    const rate = (path: string) => measureRate({ url: product.url + path, headers }, 1, ms);
    const bare = () => measureBare(client, viewer, ms);
    for (const { call, query } of lists) {
      const path = `/api/v2/issue?open=true&limit=50&includeTotals=true${query}`;
      const row = await measureAlternately(rounds, () => rate(path), bare);
      tell({ call: `open issues, ${call}, ${viewer.name}`, ...row, unit: "1/s", goal: null });
    }
    const row = await measureAlternately(rounds, () => rate("/api/v2/issue/count"), bare);
    tell({ call: `number of open issues, ${viewer.name}`, ...row, unit: "1/s", goal: null });
  }
  await client.end();
  await product.end();
}

/** A page and its total, with the scope of the viewer but without anything about sensors, notes and people. */
async function measureBare(client: pg.Client, { name, path }: Viewer, ms: number): Promise<number> {
  const scope = name === "root" ? "owner_path is not null" : `owner_path >= '${path}' and owner_path < '${path}~'`;
  const from = performance.now();
  let answers = 0;
  while (performance.now() < from + ms) {
    await client.query(
      `select * from sensor_issue where ${scope} order by issue_status, is_acknowledged, opened_ms, status_id limit 50`,
    );
    await client.query(`select count(*) from sensor_issue where ${scope}`);
    answers += 1;
  }
  return answers / ((performance.now() - from) / 1000);
}

/** One open issue for each sensor; every tenth is assigned, and has a note. */
async function plantIssues(client: pg.Client): Promise<void> {
  await client.query("update location set tags = array['flagship'] where abs(hashtext(id::text)) % 4 = 0");
  await client.query(
    `insert into monitoring_status (id, opened_id, sensor_num, location_id, start_ms, end_ms, issue_type, issue_status, issue_message)
    select id, id, num, location_id, at, at, 'connection', case when num % 3 = 0 then 'Error' else 'Warning' end, 'Offline for 2 days'
    from (select *, gen_random_uuid() as id, $1::bigint - num::bigint * 10000 as at from (select num, location_id from sensor) s) s`,
    [Date.now()],
  );
  await client.query(
    `insert into sensor_issue (sensor_num, issue_type, issue_status, status_id, opened_id, opened_ms, started_ms, location_id,
      sensor_id, owner_id, owner_path, assignee_id)
    select m.sensor_num, m.issue_type, m.issue_status, m.id, m.id, m.start_ms, m.start_ms, m.location_id, s.id, s.owner_id, s.owner_path,
      case when s.num % 10 = 0 then (select id from credential order by id limit 1) end
    from monitoring_status m join sensor s on s.num = m.sensor_num`,
  );
  await client.query(
    `insert into issue_note (id, issue_id, owner_id, at, account_id, text)
    select gen_random_uuid(), opened_id, owner_id, now(), owner_id, 'Technician ordered' from sensor_issue where sensor_num % 10 = 0`,
  );
  await client.query("vacuum analyze");
}
