// Tests files over many locations with opening hours: the rows of the page, closed days, and the comparison without them.
import type { Counts } from "@psp/contract/counts/counts.api.ts";
import { openingHoursInput } from "@psp/contract/opening/opening-hours.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packOldMonths } from "../../count/pack.store.ts";
import { countRecord, createSite, type Site } from "../../datapoint/site.testing.ts";

let site: Site;
const ids: string[] = [];
const hour = 3_600_000;
const zone = zoneOf("Europe/Berlin");
const shop = [{ from: "09:30", to: "20:00" }];
/** Closed on Sundays, and on Tuesday 10 March 2026. */
const opening = openingHoursInput.parse({
  week: { mo: shop, tu: shop, we: shop, th: shop, fr: shop, sa: shop },
  exceptions: [{ date: "2026-03-10", hours: null, name: "Stocktaking" }],
});

beforeAll(async () => {
  site = await createSite();
  for (const hours of [opening, null]) {
    const id = await site.location("Europe/Berlin");
    ids.push(id);
    await site.setHours(id, hours);
    const sensor = await site.sensor({ locationId: id });
    const from = zone.dayStart(Date.UTC(2026, 2, 2) / 86_400_000);
    const records = Array.from({ length: 21 * 24 }, (_, n) =>
      countRecord(from + n * hour, 3600, { door: [n % 24, 1] }),
    );
    await site.store(sensor, records, { via: "fill" });
  }
});
afterAll(() => site.stop());

async function lines(query: string): Promise<Record<string, string>[]> {
  const answer = await site.call(site.root, `/data/v2/counts/file?${query}`);
  expect(answer.status, answer.text).toBe(200);
  const [head = "", ...rows] = answer.text.trimEnd().split("\n");
  const names = head.split(",");
  return rows.map((row) => Object.fromEntries(row.split(",").map((cell, index) => [names[index] ?? "", cell])));
}

const week = "range=2026-03-09,2026-03-15";

async function expectRowsOfPages(query: string): Promise<void> {
  const all = await lines(query);
  for (const [n, id] of ids.entries()) {
    const page = (await site.call(site.root, `/api/v2/counts?filter=meas:${id}&${query}`)).body as Counts;
    const closed = (row: Counts["rows"][number]) => (n === 1 ? "" : row.closed ? "yes" : "no");
    expect(
      all
        .filter((line) => line["id"] === id)
        .map((line) => [line["start"], line["in"], line["out"], line["completeness"], line["closed"], line["earlier"]]),
    ).toEqual(
      page.rows.map((row, index) => [
        row.start,
        String(row.in ?? ""),
        String(row.out ?? ""),
        String(row.completeness ?? ""),
        closed(row),
        String(page.earlier.rows[index]?.in ?? ""),
      ]),
    );
  }
}

test.each([
  ["hour", "true"],
  ["hour", "false"],
  ["day", "true"],
  ["day", "false"],
  ["week", "true"],
])("a file by %s with open=%s has the rows of the pages", (by, open) =>
  expectRowsOfPages(`${week}&by=${by}&open=${open}&compare=previous`),
);

test("a day that is closed on either side has no change, nor has a week with one", async () => {
  const change = async (query: string) =>
    (await lines(`ids=${ids[0]}&compare=previous&${query}`)).map((line) => line["change"]);
  expect(await change(`${week}&by=day&open=true`)).toEqual(["0", "", "0", "0", "0", "0", ""]);
  expect(await change("range=2026-03-16,2026-03-22&by=day&open=true")).toEqual(["0", "", "0", "0", "0", "0", ""]);
  expect(await change(`${week}&by=week&open=true`)).toEqual([""]);
  expect(await change(`${week}&by=week`)).toEqual(["0"]);
  const [group] = await lines(`${week}&by=day&open=true&groupBy=owner&compare=previous`);
  expect(group).toMatchObject({ locations: "2", change: "0", closed: "" });
});

test("one or two days by hour have the rows of the pages, also after their counts were packed", async () => {
  for (const isPacked of [false, true]) {
    if (isPacked) expect(await packOldMonths(site.ctx.db, Date.UTC(2026, 5, 1))).toBeGreaterThan(0);
    for (const days of ["2026-03-09,2026-03-09", "2026-03-14,2026-03-15", "2026-03-10,2026-03-11"])
      for (const open of [true, false]) await expectRowsOfPages(`range=${days}&by=hour&open=${open}&compare=previous`);
  }
});
