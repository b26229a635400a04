// Tests the dashboard cards that compare today with earlier days, with stubbed responses.
import type { TodayCounts } from "@psp/contract/counts/counts.api.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { notFound, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount } from "../../testing/objects.ts";

const below = { me: true, myChildren: true };
const permissions = { ownable: { sensor: { canViewObject: below }, measurement: { canViewObject: below } } };
const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });

const hours = (of: (hour: number) => number | null) => Array.from({ length: 24 }, (_, hour) => of(hour));
const whileOpen = (people: number) => hours((hour) => (hour >= 9 && hour < 20 ? people : null));
const shop = (n: number, change: number) => ({
  _id: `00000000-0000-7000-9000-00000000000${n}`,
  name: `Shop ${n}`,
  change,
});

const today: TodayCounts = {
  locations: 30,
  date: "2026-11-28",
  hours: 14,
  behind: 0,
  next: "2126-11-28T14:05:00.000Z",
  curve: hours((hour) => (hour >= 9 && hour < 14 && hour !== 11 ? 300 : null)),
  in: 1200,
  week: {
    date: "2026-11-21",
    curve: whileOpen(250),
    in: 1250,
    change: 9,
    comparable: 28,
    best: [shop(1, 40), shop(2, 12), shop(3, 0)],
    worst: [shop(4, -55), shop(5, -20), shop(6, -1)],
  },
  year: {
    date: "2025-11-29",
    curve: whileOpen(400),
    in: 2000,
    change: -25,
    comparable: 30,
    best: [shop(7, 3)],
    worst: [shop(8, -3)],
  },
};
const nothing = { date: null, curve: hours(() => null), in: null, change: null, comparable: 0, best: [], worst: [] };

type Answer = { status: number; body: unknown };

function open(...answers: readonly [Answer, ...Answer[]]) {
  const none = {
    totalByInfoFirmware: [],
    totalByScomState: [],
    totalByType: [],
    totalByMonitoringLicense: [{ _id: true, count: 3 }],
    totalByInstallation: [],
    totalByLastContact: [],
  };
  let asked = 0;
  return openConsole("/dashboard", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/v2/issue/by-sensor": listResponse([]),
    "GET /api/v2/issue/by-location": { status: 200, body: [] },
    "GET /api/v2/sensor/stats": { status: 200, body: none },
    "GET /api/v2/sensor": notFound,
    "GET /api/account": notFound,
    "GET /api/v2/counts/total": {
      status: 200,
      body: { in: 1, out: 1, completeness: 1, locations: 1, incomplete: 0 },
    },
    "GET /api/v2/counts/today": () => answers[Math.min(asked++, answers.length - 1)] ?? answers[0],
    "GET /api/v2/measurement": { status: 200, body: { objects: [] } },
    "GET /api/v2/measurement/stats": { status: 200, body: { totalByOccupancyLicense: [] } },
  });
}
const ok = (body: TodayCounts) => ({ status: 200, body });
const card = (name: string) => page.getByRole("region", { name, exact: true });
const figure = (name: string) => card("Visitors today").getByRole("group", { name });
/** What a figure says, without its label. */
const valueOf = (name: string) => () => figure(name).element().textContent.slice(name.length);

test("today is compared by hour with a week and a year ago, until the same full hour", async () => {
  await open(ok(today));
  const visitors = card("Visitors today");
  await expect.element(visitors.getByText("until 14:00, local time")).toBeVisible();
  await expect.poll(valueOf("In")).toBe("1,200");
  await expect.poll(valueOf("Week on week")).toBe("up 9 %1,250 on Sat 21 Nov 202628 of 30 locations compared");
  await expect.poll(valueOf("Year on year")).toBe("down 25 %2,000 on Sat 29 Nov 2025All 30 locations compared");
  await visitors.getByRole("button", { name: "Show table" }).click();
  const rows = visitors.getByRole("table").getByRole("row").elements();
  const cells = rows.map((row) => [...row.children].map((cell) => cell.textContent));
  expect(cells[0]).toEqual(["Hour", "Today", "A week ago", "A year ago"]);
  expect(cells.slice(1).map(([hour]) => hour)).toEqual(
    Array.from({ length: 11 }, (_, n) => `${String(n + 9).padStart(2, "0")}:00`),
  );
  expect(cells[1]).toEqual(["09:00", "300", "250", "400"]);
  // Unknown is not 0, and an hour that has not passed is empty.
  expect(cells[3]).toEqual(["11:00", "–", "250", "400"]);
  expect(cells[6]).toEqual(["14:00", "", "250", "400"]);
});

test("the locations that changed most are links to their counts, also from a year ago", async () => {
  await open(ok(today));
  const ends = card("Best and worst");
  await expect.element(ends.getByRole("list", { name: "Best" })).toBeVisible();
  const linesOf = (name: string) =>
    ends
      .getByRole("list", { name })
      .getByRole("listitem")
      .elements()
      .map((item) => [item.textContent, item.querySelector("a")?.getAttribute("href")]);
  expect(linesOf("Best")).toEqual([
    ["Shop 1up 40 %", "/location/00000000-0000-7000-9000-000000000001/counts?compare=previous"],
    ["Shop 2up 12 %", "/location/00000000-0000-7000-9000-000000000002/counts?compare=previous"],
    ["Shop 3unchanged, 0 %", "/location/00000000-0000-7000-9000-000000000003/counts?compare=previous"],
  ]);
  expect(linesOf("Worst").map(([line]) => line)).toEqual(["Shop 4down 55 %", "Shop 5down 20 %", "Shop 6down 1 %"]);
  await ends.getByRole("button", { name: "Year ago" }).click();
  expect(linesOf("Best")).toEqual([
    ["Shop 7up 3 %", "/location/00000000-0000-7000-9000-000000000007/counts?compare=year"],
  ]);
});

test("without counts a year ago there is no line, and words say so", async () => {
  await open(ok({ ...today, behind: 2, year: { ...nothing, date: "2025-11-29" } }));
  await expect.poll(valueOf("Year on year")).toBe("–No counts for Sat 29 Nov 2025");
  const visitors = card("Visitors today");
  await expect
    .element(visitors.getByText("until 14:00, local time; earlier at 2 locations where it is not 14:00 yet"))
    .toBeVisible();
  await expect.element(visitors.getByText("A week ago", { exact: true })).toBeVisible();
  expect(visitors.getByText("A year ago", { exact: true }).elements()).toEqual([]);
  await card("Best and worst").getByRole("button", { name: "Year ago" }).click();
  await expect.element(card("Best and worst").getByText(/^Fewer than two locations have enough data/)).toBeVisible();
  await expect
    .element(card("Best and worst").getByRole("link", { name: "See the changes of yesterday" }))
    .toHaveAttribute("href", "/location/counts?range=yesterday&compare=year&sortBy=-change");
});

test("a single location is compared, but not ranked", async () => {
  await open(ok({ ...today, locations: 1, week: { ...today.week, comparable: 1, best: [], worst: [] } }));
  await expect.poll(valueOf("Week on week")).toBe("up 9 %1,250 on Sat 21 Nov 20261 location compared");
  expect(card("Best and worst").elements()).toEqual([]);
});

test.each([
  [0, "No locations yet"],
  [4, "No sensors at your locations yet"],
])("with %d locations and no sensor there the card says: %s", async (locations, words) => {
  await open(
    ok({
      ...today,
      locations,
      date: null,
      hours: 0,
      next: null,
      curve: nothing.curve,
      in: null,
      week: nothing,
      year: nothing,
    }),
  );
  await expect.element(card("Visitors today").getByText(words)).toBeVisible();
});

test("a failure is reported and can be retried", async () => {
  const failed = { status: 500, body: { error: "Internal server error.", code: 500 } };
  await open(failed, failed, ok(today));
  await card("Visitors today").getByRole("button", { name: "Try again" }).click();
  await expect.poll(valueOf("In")).toBe("1,200");
});

test("more than 10,000 locations are not compared", async () => {
  await open({ status: 400, body: { error: "Invalid argument.", code: 102 } });
  const visitors = card("Visitors today");
  await expect.element(visitors.getByText(/^You see more than 10,000 locations/)).toBeVisible();
  expect(visitors.getByRole("button", { name: "Try again" }).elements()).toEqual([]);
});
