// Tests that subscriptions of the weekly report become reports, which are due when they were due before.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { scheduleSchema } from "@psp/contract/report/schedule.ts";
import { reportQuerySchema } from "@psp/contract/report/report.ts";
import pg from "pg";
import { expect, test } from "vitest";
import { migrate } from "../db/migrate.ts";
import { createTestDatabase } from "../testing/postgres.ts";
import { findMissedDue } from "./due.rules.ts";

const migrations = join(import.meta.dirname, "../db/migrations");
const own = /^\d{4}_reports\.sql$/;
const dayMs = 86_400_000;
const monday = Date.UTC(2027, 2, 8) / dayMs;

test("a weekly report keeps its login, its next week and its check; logins without one have none", async () => {
  const before = await mkdtemp(join(tmpdir(), "psp-weekly-"));
  const names = (await readdir(migrations)).toSorted();
  const last = names.findIndex((name) => own.test(name));
  for (const name of names.slice(0, last)) await cp(join(migrations, name), join(before, name));
  const { url, drop } = await createTestDatabase((empty) => migrate(empty, before));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`insert into account (id, name, ancestor_ids, path) values
      ('01900000-0000-7000-8000-000000000001', 'Harbour Stores', '{}', 'A')`);
    await client.query(`insert into credential (id, account_id, email, step) values
      ('01900000-0000-7000-8000-000000000002', '01900000-0000-7000-8000-000000000001', 'On@example.com', 2),
      ('01900000-0000-7000-8000-000000000003', '01900000-0000-7000-8000-000000000001', 'off@example.com', 2)`);
    await client.query(
      "insert into weekly_report values ('01900000-0000-7000-8000-000000000002', $1, '2027-03-07T16:00:00Z')",
      [monday],
    );
    await migrate(url);
    const { rows } = await client.query<{
      creator_id: string;
      query: unknown;
      schedule: unknown;
      handled_to: Date;
      check_at: Date;
      is_weekly: boolean;
      email: string;
    }>("select * from report join report_recipient on report_id = id");
    expect(rows).toHaveLength(1);
    const [row] = rows;
    expect(row).toMatchObject({
      creator_id: "01900000-0000-7000-8000-000000000002",
      is_weekly: true,
      email: "on@example.com",
    });
    expect(row?.check_at.toISOString()).toBe("2027-03-07T16:00:00.000Z");
    expect(reportQuerySchema.parse(row?.query)).toMatchObject({ range: "lastWeek", formats: [] });
    const schedule = scheduleSchema.parse(row?.schedule);
    for (const name of ["Pacific/Auckland", "Europe/Berlin", "America/Los_Angeles", "Pacific/Honolulu"]) {
      const due = zoneOf(name).instantOf(monday * dayMs + 7 * 3_600_000);
      const handled = Number(row?.handled_to);
      expect(findMissedDue(schedule, zoneOf(name), handled, due - 1), name).toBeNull();
      expect(findMissedDue(schedule, zoneOf(name), handled, due), name).toBe(due);
    }
  } finally {
    await client.end();
    await drop();
    await rm(before, { recursive: true });
  }
});
