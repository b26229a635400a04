// Yesterday's completeness of customers: equal to the comparison of their locations, per zone, after late counts and moves.
import { afterAll, beforeAll, expect, test } from "vitest";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { countRecord, createSite, type Person, type Site } from "../datapoint/site.testing.ts";
import { updateCompleteness } from "../customer/completeness.service.ts";
import { listCustomers } from "../customer/customer.service.ts";

let site: Site;
beforeAll(async () => {
  site = await createSite();
  const at = new Date(midnightInBerlin - 1);
  const lasting = { created_at: at, last_used_at: at, expires_at: new Date("2028-01-01") };
  await site.ctx.db.updateTable("session").set(lasting).execute();
});
afterAll(() => site.stop());

const hour = 3_600_000;
const midnightInBerlin = Date.UTC(2027, 2, 27, 23);

async function completenessOf(person: Person): Promise<number | null | undefined> {
  const { objects } = await listCustomers(site.ctx, site.root, {});
  return objects.find(({ _id }) => _id === person.id)?.completeness;
}

/** The completeness that the page of the locations shows for all of them. */
async function listed(person: Person): Promise<unknown> {
  const answer = await site.call(site.root, `/api/v2/counts/locations?range=yesterday&ownerTreeID=${person.id}`);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { sum: { completeness: number | null } }).sum.completeness;
}

async function follow(): Promise<void> {
  while ((await updateCompleteness(site.ctx, 2)) > 0);
}

async function fill(owner: Person, zone: string, hours: readonly number[]) {
  const locationId = await site.location(zone, owner);
  const sensor = await site.sensor({ owner, locationId, since: Date.UTC(2027, 0, 1) });
  const at = (n: number) => countRecord(Date.UTC(2027, 2, 25, 0) + n * hour, 3600, { door: [1, 1] });
  await site.store(sensor, hours.map(at), { via: "fill" });
  return { locationId, sensor };
}

test("CO-02 completeness changes at midnight of each location's zone", async () => {
  site.ctx.clock.moveTo(midnightInBerlin - 1);
  const person = await site.person(fullPermissions);
  // Complete on 26 March in Berlin; half of 27 March.
  await fill(person, "Europe/Berlin", [...Array(24 + 23 + 12).keys()]);
  await fill(person, "America/New_York", [...Array(48).keys()]);
  await follow();
  const before = await completenessOf(person);
  expect(before).toBe(await listed(person));
  site.ctx.clock.moveTo(midnightInBerlin);
  await follow();
  const after = await completenessOf(person);
  expect(after).toBe(await listed(person));
  expect(after).not.toBe(before);
});

test("CO-02 counts that arrive late and moved locations are included", async () => {
  site.ctx.clock.moveTo(midnightInBerlin + 8 * hour);
  const [person, other] = [await site.person(fullPermissions), await site.person(fullPermissions)];
  const { sensor, locationId } = await fill(person, "Europe/Berlin", []);
  expect(await completenessOf(person)).toBeNull();
  await follow();
  expect(await completenessOf(person)).toBe(0);
  const late = Array.from({ length: 12 }, (_, n) =>
    countRecord(midnightInBerlin - (n + 1) * hour, 3600, { door: [1, 1] }),
  );
  await site.store(sensor, late, { via: "fill" });
  site.ctx.clock.moveTo(midnightInBerlin + 8 * hour + 600_000);
  await follow();
  expect(await completenessOf(person)).toBe(0.5);
  expect(await listed(person)).toBe(0.5);
  await site.ctx.db
    .updateTable("location")
    .set({ owner_id: other.id, owner_path: other.path })
    .where("id", "=", locationId)
    .execute();
  // At once, before the totals have followed.
  expect([await completenessOf(person), await completenessOf(other)]).toEqual([null, 0.5]);
  await follow();
  expect([await completenessOf(person), await completenessOf(other)]).toEqual([null, 0.5]);
  await site.ctx.db.updateTable("location").set({ is_deleted: true }).where("id", "=", locationId).execute();
  expect(await completenessOf(other)).toBeNull();
  await follow();
  expect(await completenessOf(other)).toBeNull();
});
