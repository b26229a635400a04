// Compares a batch over 100,000 sensors through the API with the same change in SQL, in statements of 10,000 rows that include
// audit rows.
import pg from "pg";
import { fillDatabase } from "./dataset.ts";
import { measureAlternately, type BenchRow } from "./load.ts";
import { createProduct, signIn } from "./product.ts";

export type BatchOptions = { items: number; rounds: number };

const goal = 0.5;
const perStatement = 10_000;

type Case = {
  call: string;
  changes(round: number): Record<string, unknown>;
  set: string;
  /** Column with the number of the field's last change. The baseline sets this column, so that the trigger does nothing. */
  mark: string;
  values(round: number): unknown[];
};

/**
 * Measures sensors per second. Our side also selects, checks permissions, reports progress and lists failures; the baseline
 * doesn't.
 */
export async function benchBatch({ items, rounds }: BatchOptions, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api" });
  await product.start();
  const databaseUrl = await product.databaseUrl();
  await fillDatabase(databaseUrl, items * 2);
  const bare = new pg.Client({ connectionString: databaseUrl });
  await bare.connect();
  // Disables the maintenance of totals, which would run for each row and slow the baseline down.
  await bare.query("set psp.counts_itself = 'on'");
  const api = await signIn(product.url);
  // Every second sensor, so that batch rows aren't adjacent in the table.
  const { rows } = await bare.query<{ id: string }>("select id from sensor where num % 2 = 0 order by id limit $1", [
    items,
  ]);
  const ids = rows.map((row) => row.id);
  const { rows: owners } = await bare.query<{ id: string; path: string }>(
    "select id, path from account order by id limit 2",
  );
  let round = 0;
  for (const one of cases(owners)) {
    const measured = await measureAlternately(
      rounds,
      async () => {
        const body = { sensorIDs: ids, changes: one.changes((round += 1)) };
        return rateOf(ids.length, () => api.call("PUT", "/api/v2/sensor/batch-update", body, {}, 120_000));
      },
      async () => {
        round += 1;
        return rateOf(ids.length, () => bareBatch(bare, ids, one, one.values(round)));
      },
    );
    tell({ call: `batch of ${items.toLocaleString("en")}: ${one.call}`, ...measured, unit: "sensors/s", goal });
  }
  await bare.end();
  await product.end();
}

function cases(owners: { id: string; path: string }[]): Case[] {
  const owner = (round: number) => owners[round % owners.length] ?? { id: "", path: "" };
  return [
    {
      call: "groups",
      changes: (round) => ({ groups: [`group ${round}`] }),
      set: "groups = array[$2::text]",
      mark: "groups_mark",
      values: (round) => [`group ${round}`],
    },
    {
      call: "owner",
      changes: (round) => ({ owner: owner(round).id }),
      set: "owner_id = $2::uuid, owner_path = $3::text",
      mark: "owner_mark",
      values: (round) => [owner(round).id, owner(round).path],
    },
  ];
}

async function bareBatch(client: pg.Client, ids: string[], { set, mark }: Case, values: unknown[]): Promise<void> {
  const trail = (alias: string) => `jsonb_build_object('owner', ${alias}.owner_id, 'type', ${alias}.type,
    'measID', ${alias}.location_id, 'artifact', ${alias}.firmware_id, 'groups', to_jsonb(${alias}.groups),
    'claimable', ${alias}.claimable, 'monitoring', ${alias}.license_monitoring, 'restUsername', ${alias}.rest_username)`;
  for (let from = 0; from < ids.length; from += perStatement) {
    await client.query(
      `with changed as (
         update sensor set ${set}, ${mark} = 0, changed_mark = 0, version = version + 1, updated_at = now() where id = any($1::text[])
         returning new.id, new.owner_id, new.owner_path, ${trail("old")} as before, ${trail("new")} as after
       )
       insert into audit (id, at, request_id, action, object_type, object_id, owner_id, owner_path, before, after)
       select uuidv7(), now(), 'bare', 'update', 'sensor', id, owner_id, owner_path, before, after from changed`,
      [ids.slice(from, from + perStatement), ...values],
    );
  }
}

async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return count / ((performance.now() - from) / 1000);
}
