// Tests the comparison of locations with stubbed responses.
import type { GroupCounts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount } from "../../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-0000000000b${n}`;
const me = plainAccount({ _id: "00000000-0000-4000-8000-000000000001", name: "Harbour" });
const below = { me: true, myChildren: true };
const user = {
  ...me,
  permissions: { owner: { canViewOwner: below }, ownable: { measurement: { canViewObject: below } } },
  email: "me@example.com",
};

const place = (n: number, name: string, facts: Partial<LocationCounts>): LocationCounts => ({
  _id: id(n),
  name,
  owner: { _id: me._id, name: me.name },
  timezone: "UTC",
  closed: false,
  skippedDays: 0,
  in: 100,
  out: 90,
  completeness: 1,
  change: { in: 8, out: 8 },
  rank: n,
  isUnexpectedZero: false,
  curve: [1, null, 3],
  sales: null,
  conversionChange: null,
  ...facts,
});
const ranked = place(1, "Central Station", { in: 1200 });
const blind = place(2, "Old Town", { in: 5000, completeness: 0.5, rank: null, change: { in: null, out: null } });
const empty = place(3, "Harbour", {
  in: null,
  out: null,
  completeness: 0,
  rank: null,
  change: { in: null, out: null },
});

const sum = { in: 200, out: 180, completeness: 1, locations: 2 };
const asked: string[] = [];
const open = (address: string, answer: object | undefined, permissions: Permissions = user.permissions) =>
  openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...user, permissions } },
    "GET /api/account": listResponse([me]),
    "GET /api/v2/counts/locations": (_, query) => {
      asked.push(query.toString());
      if (answer === undefined) return { status: 400, body: { code: 102, error: "Invalid arguments." } };
      const days = { first: "2026-11-17", last: "2026-11-23", by: "day" };
      return { status: 200, body: { ...days, sum, outside: null, ...answer } };
    },
  });
const row = (name: RegExp) => page.getByRole("row", { name });

test("what can be ranked has its rank, what has large gaps says so, and nothing known is no zero", async () => {
  await open("/location/counts?range=last7days&compare=previous", { objects: [ranked, blind, empty], total: 3 });
  for (const name of ["Name", "In", "Out", "Change", "Completeness"])
    await expect.element(page.getByRole("columnheader", { name, exact: true })).toBeVisible();
  await expect.element(row(/^Rank 1 Central Station 1,200\b.* 90\b.* up 8 % 100 %/)).toBeVisible();
  await expect.element(row(/^Incomplete Old Town 5,000\b.* 90\b.* – 50 %/)).toBeVisible();
  await expect.element(row(/^Incomplete Harbour –.* –.* – 0 %/)).toBeVisible();
  expect(row(/Rank 2/).elements()).toEqual([]);
  // The default order is the server's ranking.
  expect(asked.at(-1)).not.toContain("sortBy");
});

test("a press on 'In' sorts at once, and 'Change' is empty while nothing is compared", async () => {
  const { address } = await open("/location/counts", { objects: [ranked], total: 1 });
  const head = (name: string) => page.getByRole("columnheader", { name, exact: true });
  await expect.element(row(/Central Station/)).toBeVisible();
  await expect.element(row(/Central Station/)).not.toMatchTextContent(/up 8 %/);
  expect(head("Change").getByRole("button").elements()).toEqual([]);
  await expect.element(head("In")).toHaveAttribute("aria-sort", "descending");
  await head("In").getByRole("button").click();
  await expect.element(head("In")).toHaveAttribute("aria-sort", "ascending");
  await expect.poll(() => new URLSearchParams(asked.at(-1)).get("sortBy")).toBe("in");
  await head("In").getByRole("button").click();
  await expect.poll(address).toBe("/location/counts");
});

test("'Change' sorts while something is compared", async () => {
  await open("/location/counts?compare=year", { objects: [ranked], total: 1 });
  const head = page.getByRole("columnheader", { name: "Change", exact: true });
  await head.getByRole("button").click();
  await expect.poll(() => new URLSearchParams(asked.at(-1)).get("sortBy")).toBe("change");
  await expect.element(row(/Central Station/)).toMatchTextContent(/up 8 %/);
});

const figures = {
  transactions: 240,
  revenue: [{ currency: "EUR", amount: 4800, perVisitor: 4 }],
  staffHours: null,
  visitors: 1200,
  conversion: 0.2,
  days: 7,
  comparedDays: 7,
};

test("with sales there are columns for them; 'Conversion change' puts those that got worse first", async () => {
  const sold = place(1, "Central Station", { sales: figures, conversionChange: -2.5, skippedDays: 2 });
  const partly = place(2, "Old Town", { sales: { ...figures, comparedDays: 3 }, conversionChange: null });
  await open("/location/counts?range=last7days&compare=year", { objects: [sold, partly, empty], total: 3 });
  await expect.element(row(/Central Station.* up 8 % 20.0 % down 2.5 percentage points EUR.4.00/)).toBeVisible();
  await expect.element(row(/Old Town.* 20.0 % – EUR.4.00/)).toBeVisible();
  await expect.element(row(/Harbour.* – – – 0 %/)).toBeVisible();
  const leftOut = "2 days are left out of the comparison: closed or excluded by an event, in this range or before";
  expect(
    row(/Central/)
      .element()
      .querySelector(`[aria-description="${leftOut}"]`),
  ).not.toBeNull();
  await page.getByRole("columnheader", { name: "Conversion change" }).getByRole("button").click();
  await expect.poll(() => new URLSearchParams(asked.at(-1)).get("sortBy")).toBe("conversionChange");
});

test("without sales there are no columns for them", async () => {
  await open("/location/counts", { objects: [ranked], total: 1 });
  await expect.element(row(/Central Station/)).toBeVisible();
  expect(page.getByRole("columnheader", { name: /Conversion|Revenue/ }).elements()).toEqual([]);
});

test("a zero of today that is not to be trusted has a sign that says why", async () => {
  const zero = (n: number, name: string, isUnexpectedZero: boolean) => place(n, name, { in: 0, isUnexpectedZero });
  await open("/location/counts", { objects: [ranked, zero(2, "Old Town", true), zero(3, "Harbour", false)], total: 3 });
  const why = "No people counted today, although all sensors are connected and other locations are counting";
  const sign = (name: RegExp) => row(name).getByRole("img", { name: why });
  await expect.element(sign(/Old Town/)).toBeVisible();
  expect(sign(/Harbour|Central/).elements()).toEqual([]);
});

test("a row leads to the counts of its location in the same range", async () => {
  await open("/location/counts?range=yesterday&compare=year&name=central", { objects: [ranked], total: 1 });
  await expect
    .element(page.getByRole("link", { name: "Central Station" }))
    .toHaveAttribute("href", `/location/${id(1)}/counts?range=yesterday&compare=year`);
});

test("range and filters are asked for together, and stay when one of them changes", { tags: "prove" }, async () => {
  const { address } = await open("/location/counts?range=last7days&name=cen", { objects: [ranked], total: 1 });
  await expect.element(row(/Central Station/)).toBeVisible();
  expect(asked.at(-1)).toContain("name=cen");
  expect(asked.at(-1)).toContain("range=last7days");
  await page.getByRole("combobox", { name: "Range" }).click();
  await page.getByRole("option", { name: "Yesterday" }).click();
  await expect.poll(address).toBe("/location/counts?range=yesterday&name=cen");
  await page.getByLabelText("Search by Name", { exact: true }).fill("old");
  await expect.poll(address).toBe("/location/counts?range=yesterday&name=old");
});

test("too many locations are to be narrowed, none found can be shown all", { tags: "prove" }, async () => {
  await open("/location/counts", undefined);
  await expect.element(page.getByText("More than 10,000 locations. Narrow the filters", { exact: true })).toBeVisible();
  await open("/location/counts?name=zzz", { objects: [], total: 0 });
  await expect.element(page.getByRole("button", { name: "Show all locations" })).toBeVisible();
});

test("the filters of the list hold here, too: the occupancy license is asked for, shown and taken away", async () => {
  asked.length = 0;
  await open("/location/counts?occupancy=true", { objects: [ranked], total: 1 });
  await expect.element(row(/Central Station/)).toBeVisible();
  expect(new URLSearchParams(asked.at(-1)).get("occupancy")).toBe("true");
  await page.getByRole("button", { name: "Filters 1 active" }).click();
  await expect.element(page.getByRole("combobox", { name: "Occupancy license" })).toHaveTextContent("With");
  await page.getByRole("button", { name: /Remove.*Occupancy license/ }).click();
  await expect.poll(() => new URLSearchParams(asked.at(-1)).get("occupancy")).toBe(null);
});

const group = (name: string | null, facts: Partial<GroupCounts> = {}): GroupCounts => ({
  key: name?.toLowerCase() ?? null,
  name,
  in: 100,
  out: 90,
  completeness: 1,
  locations: 3,
  comparable: 2,
  change: { in: 8, out: 8 },
  rank: 1,
  curve: [1, null, 3],
  sales: null,
  conversionChange: null,
  ...facts,
});
const groups = { objects: [], groups: [group("North"), group(null, { rank: 2, locations: 1 })], total: 2 };

test("'Group by' shows groups, keeps range and comparison, and is in the URL", async () => {
  const { address } = await open("/location/counts?range=yesterday&compare=year&skip=50", groups);
  await page.getByRole("combobox", { name: "Group by" }).click();
  await page.getByRole("option", { name: "Tag", exact: true }).click();
  await expect.poll(address).toBe("/location/counts?range=yesterday&compare=year&groupBy=tag");
  await expect.element(row(/^Rank 1 North 3 100\b.* 90\b.* up 8 % 100 %/)).toBeVisible();
  await expect.element(row(/^Rank 2 No tag 1 100\b/)).toBeVisible();
  await expect.element(page.getByText("2 groups", { exact: true })).toBeVisible();
  const query = new URLSearchParams(asked.at(-1));
  expect([query.get("groupBy"), query.get("compare"), query.get("range")]).toEqual(["tag", "year", "yesterday"]);
  await page.getByRole("combobox", { name: "Group by" }).click();
  await page.getByRole("option", { name: "None", exact: true }).click();
  await expect.poll(address).toBe("/location/counts?range=yesterday&compare=year");
});

test("a scheduled report takes over range, filters and grouping", async () => {
  const { address } = await open("/location/counts?range=yesterday&tag=a&groupBy=tag", groups, fullPermissions);
  await page.getByRole("button", { name: "Schedule report" }).click();
  await expect.poll(address).toMatch(/^\/location\/reports\/new\?/);
  const of = new URLSearchParams(new URL(address(), "http://console").search).get("of");
  expect(Object.fromEntries(new URLSearchParams(of ?? ""))).toMatchObject({
    tag: "a",
    range: "yesterday",
    groupBy: "tag",
  });
});

test("a group leads to its locations in the same range; locations without a tag have no such list", async () => {
  await open("/location/counts?range=yesterday&compare=year&tag=a&groupBy=tag", groups);
  await expect
    .element(page.getByRole("link", { name: "North" }))
    .toHaveAttribute("href", "/location/counts?tag=a&tag=North&range=yesterday&compare=year");
  await expect.element(row(/No tag/)).toBeVisible();
  expect(page.getByRole("link", { name: "No tag" }).elements()).toEqual([]);
});

test("a press downloads all matching locations, with range, filters, comparison and grouping", async () => {
  await open("/location/counts?range=lastMonth&compare=year&tag=a&tag=b", { objects: [ranked], total: 1 });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const query = async (name: string) => {
    await expect.element(link(name)).toBeVisible();
    const url = new URL(link(name).element().getAttribute("href") ?? "", "http://x");
    expect(url.pathname).toBe("/data/v2/counts/file");
    return url.search;
  };
  await expect
    .poll(() => query("Download XLSX"))
    .toBe("?tag=a&tag=b&range=lastMonth&by=day&compare=year&open=true&format=xlsx");
  expect(await query("Download CSV")).toBe(
    "?tag=a&tag=b&range=lastMonth&by=day&compare=year&open=true&format=csv&style=people&separator=comma",
  );
  await page.getByRole("button", { name: "More files" }).click();
  for (const name of ["XLSX with a column per day", "CSV with a column per day"])
    await expect.element(page.getByRole("menuitem", { name, exact: true })).toBeVisible();
});

test("a file with too many rows is not offered, and says why", async () => {
  await open("/location/counts?range=2016-01-01,2025-12-31", { objects: [ranked], total: 10_000, by: "day" });
  const why = /The file would have more than 1,048,575 rows, the maximum for XLSX/;
  await expect.element(page.getByRole("button", { name: "Download XLSX" })).toHaveAccessibleDescription(why);
  await expect.element(page.getByRole("button", { name: "Download XLSX" })).toHaveAttribute("aria-disabled", "true");
});

test("with opening hours, people outside them are named and can be included; a closed location says so", async () => {
  const closed = place(4, "Market Hall", { in: null, out: null, completeness: null, rank: null, closed: true });
  const { address } = await open("/location/counts", {
    objects: [ranked, closed],
    total: 2,
    outside: { in: 45, out: 40 },
  });
  await expect.element(row(/Closed Market Hall/)).toBeVisible();
  await expect.element(page.getByText("45 outside opening hours")).toBeVisible();
  expect(new URLSearchParams(asked.at(-1)).get("open")).toBe("true");
  const download = page.getByRole("link", { name: "Download XLSX" });
  await expect.element(download).toHaveAttribute("href", expect.stringContaining("open=true"));
  await page.getByRole("button", { name: "Opening hours only", pressed: true }).click();
  await expect.poll(address).toBe("/location/counts?open=off");
  await expect.poll(() => new URLSearchParams(asked.at(-1)).get("open")).toBe(null);
  await expect.element(page.getByText("45 outside opening hours")).not.toBeInTheDocument();
  await expect.element(download).toHaveAttribute("href", expect.not.stringContaining("open="));
});
