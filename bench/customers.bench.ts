// Compares the customer list with plain SQL over HTTP on the same totals, for one dealer with all customers.
import { semverKey } from "@psp/contract/firmware/semver.ts";
import pg from "pg";
import { fillDatabase } from "./dataset.ts";
import { startBaseline } from "./lists.bench.ts";
import { measureAlternately, type BenchRow, measureRate } from "./load.ts";
import { createProduct } from "./product.ts";

export type CustomerOptions = { sensors: number; rounds: number; ms: number };

const sorts = ["", "&sortBy=-lastSignInAt", "&sortBy=completeness", "&trouble=errors&trouble=offline"] as const;

export async function benchCustomers(options: CustomerOptions, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api,worker" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const viewers = await fillDatabase(databaseUrl, options.sensors + 100, {
    dealers: 1,
    version: "'1.' || n / 9973 % 5 || '.0'",
  });
  const dealer = viewers.find(({ name }) => name === "mid");
  if (dealer === undefined) throw new Error("There is no dealer");
  await addTrouble(client);
  const waited = performance.now();
  await untilCounted(client);
  // The sensors have sent no counts, so nothing was expected of their locations.
  await client.query(`insert into owner_completeness select path, abs(hashtext(path)) % 86400000, 86400000 from account
    on conflict (owner_path) do update set known_ms = excluded.known_ms, expected_ms = excluded.expected_ms`);
  process.stdout.write(`all sensors counted after ${Math.round((performance.now() - waited) / 1000)} s\n`);
  await client.query("vacuum analyze");
  const baseline = await startBaseline(databaseUrl);
  const headers = { authorization: `Bearer ${dealer.token}` };
  for (const sort of sorts) {
    const url = `${product.url}/api/v2/customer?limit=50&includeTotals=true${sort}`;
    const measured = await measureAlternately(
      options.rounds,
      () => measureRate({ url, headers }, 1, options.ms),
      () => measureRate({ url: `${baseline.url}/customers?path=${dealer.path}` }, 1, options.ms),
    );
    tell({
      call: `customers${sort}, ${Math.round(1000 / measured.ours)} ms`,
      ...measured,
      unit: "answers/s",
      goal: 0.5,
    });
  }
  await client.end();
  baseline.child.kill();
  await product.end();
}

/** An open issue at every hundredth sensor. */
async function addTrouble(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: string; name: string }>("select id, name from firmware");
  for (const { id, name } of rows)
    await client.query("update firmware set precedence = $2 where id = $1", [id, semverKey(name)]);
  await client.query(`
    with found as (insert into monitoring_status (id, sensor_num, start_ms, end_ms, issue_type, issue_status, issue_message)
      select gen_random_uuid(), num, 4e12, 4e12, 'osd', case when num % 200 = 0 then 'Error' else 'Warning' end, 'bench'
      from sensor where num % 100 = 0 returning *)
    insert into sensor_issue (sensor_num, issue_type, issue_status, status_id)
      select sensor_num, issue_type, issue_status, id from found`);
}

async function untilCounted(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ left: boolean }>(`select exists (select from sensor_mark)
      or exists (select from location_mark) or exists (select from sensor, offline_limit l
        where silent_since > l.last_contact_at and silent_since <= now() - interval '24 hours') as left`);
    if (rows[0]?.left === false) return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
