// Tests that test databases are separate, belong to the server's database role, and are copies of one migrated template.

import pg from "pg";
import { expect, inject, test } from "vitest";
import { createTestDatabase } from "./postgres.ts";

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

test("two databases share nothing, and dropping one closes its connections", async () => {
  const first = await createTestDatabase();
  const second = await createTestDatabase();
  await query(first.url, "create table only_here (a int)");
  expect(await query(second.url, "select to_regclass('only_here') as found")).toEqual([{ found: null }]);
  const open = new pg.Client({ connectionString: first.url });
  open.on("error", () => undefined);
  await open.connect();
  await first.drop();
  await second.drop();
  await expect(query(first.url, "select 1")).rejects.toThrow("does not exist");
  await open.end();
});

test("the template is migrated once, and copies are writable by the product's role", async () => {
  let migrations = 0;
  const migrate = async (url: string) => {
    migrations += 1;
    await query(url, "create table seeded as select 1 as a");
  };
  const copies = await Promise.all([1, 2, 3].map(() => createTestDatabase(migrate)));
  expect(migrations).toBe(1);
  for (const { url, drop } of copies) {
    expect(await query(url, "update seeded set a = 2 returning a, current_user as role")).toEqual([
      { a: 2, role: "psp" },
    ]);
    await drop();
  }
});

test("the run's PostgreSQL is the embedded one", async () => {
  const [row] = await query(inject("postgresUrl"), "show server_version");
  expect(row?.["server_version"]).toMatch(/^18\./);
});
