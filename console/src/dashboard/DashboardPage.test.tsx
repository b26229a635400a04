// Tests the dashboard with stubbed responses (DB-01).
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { type Locator, page } from "vitest/browser";
import { notFound, openConsole } from "../testing/console.tsx";
import { plainAccount } from "../testing/objects.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const below = { me: true, myChildren: true };
const permissions: Permissions = { ownable: { sensor: { canViewObject: below } } };
const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });

/** Twelve versions; version n runs on n × 100 sensors. */
const firmware = Array.from({ length: 12 }, (_, n) => ({ _id: `1.${n + 1}.0`, count: (n + 1) * 100 }));

const targets = (links: Locator) =>
  Object.fromEntries(links.elements().map((link) => [link.textContent.trim(), link.getAttribute("href") ?? ""]));

const noHours = Array.from({ length: 24 }, () => null);
const nothingEarlier = { date: null, curve: noHours, in: null, change: null, comparable: 0, best: [], worst: [] };
const todayWithoutSensors = {
  locations: 2,
  date: null,
  hours: 0,
  behind: 0,
  next: null,
  curve: noHours,
  in: null,
  week: nothingEarlier,
  year: nothingEarlier,
};

type Sum = {
  in: number | null;
  out: number | null;
  completeness: number | null;
  locations: number;
  incomplete: number;
};

function open(
  stats: Record<string, { _id: unknown; count: number }[]>,
  more: NonNullable<Permissions["ownable"]> = {},
  sum: Sum = { in: 1, out: 1, completeness: 1, locations: 1, incomplete: 0 },
  issues = { Warning: 0, Error: 0 },
  vehicles = 0,
) {
  const none = {
    totalByInfoFirmware: [],
    totalByScomState: [],
    totalByType: [],
    totalByMonitoringLicense: [],
    totalByInstallation: [],
    totalByLastContact: [],
  };
  return openConsole("/dashboard", {
    "GET /api/auth/user": {
      status: 200,
      body: { ...me, permissions: { ownable: { ...permissions.ownable, ...more } }, email: "me@example.com" },
    },
    "GET /api/v2/issue/by-sensor": { status: 200, body: { objects: [], total: 0 } },
    "GET /api/v2/issue/count": {
      status: 200,
      body: { errors: issues.Error, warnings: issues.Warning, snoozed: 0, changesAt: null },
    },
    "GET /api/v2/issue/by-location": { status: 200, body: [] },
    "GET /api/v2/sensor/stats": { status: 200, body: { ...none, ...stats } },
    "GET /api/v2/sensor": notFound,
    "GET /api/v2/vehicle": { status: 200, body: { objects: [], total: vehicles } },
    "GET /api/account": notFound,
    "GET /api/v2/counts/total": { status: 200, body: sum },
    "GET /api/v2/counts/today": { status: 200, body: todayWithoutSensors },
    "GET /api/v2/measurement": { status: 200, body: { objects: [] } },
    "GET /api/v2/measurement/stats": { status: 200, body: { totalByOccupancyLicense: [] } },
  });
}
const licensed = [{ _id: true, count: 3 }];

test("with vehicles, the header leads to them", async () => {
  await open({ totalByType: [{ _id: "ZOD", count: 8 }] }, {}, undefined, undefined, 2);
  const link = page.getByRole("main").getByRole("link", { name: "Vehicles", exact: true });
  await expect.element(link).toHaveAttribute("href", "/sensor?viewType=vehicles");
});

const figure = (name: string) => page.getByRole("figure", { name, exact: true });

test("DB-01 three doughnuts show connection, type and license with totals and complete legends", async () => {
  await open({
    totalByScomState: [
      { _id: "connected", count: 1200 },
      { _id: "notResponding", count: 7 },
      { _id: "disconnected", count: 34 },
    ],
    // States and types without sensors are missing in the response.
    totalByType: [
      { _id: "ZOD", count: 40 },
      { _id: "APS", count: 1201 },
    ],
    totalByMonitoringLicense: [
      { _id: false, count: 1238 },
      { _id: true, count: 3 },
    ],
  });
  const rings: [string, [string, string][]][] = [
    [
      "Online and offline",
      [
        ["Online", "1,200"],
        ["Not responding", "7"],
        ["Offline", "34"],
      ],
    ],
    [
      "By sensor type",
      [
        ["APS", "1,201"],
        ["PS.C1", "0"],
        ["ZOD", "40"],
      ],
    ],
    [
      "Monitored",
      [
        ["Monitored", "3"],
        ["Unmonitored", "1,238"],
      ],
    ],
  ];
  for (const [name, legend] of rings) {
    const ring = figure(name);
    await expect.element(ring).toBeVisible();
    await expect.element(ring.getByText("1,241", { exact: true })).toBeVisible();
    const words = ring
      .getByRole("term")
      .elements()
      .map((term) => term.textContent.trim());
    const counts = ring
      .getByRole("definition")
      .elements()
      .map((count) => count.textContent.trim());
    expect(words.map((word, n) => [word, counts[n]?.match(/[\d,]+/)?.[0]])).toEqual(legend);
    // Every non-empty part is visible, however small.
    const sizes = legend.map(([, count]) => Number(count.replace(",", ""))).filter((size) => size > 0);
    // Excludes the help icon.
    const arcs = () => [...ring.element().querySelectorAll("path")].filter((path) => path.closest("button") === null);
    await expect.poll(() => arcs().length).toBe(sizes.length);
    const lengths = arcs().map((arc) => arc.getTotalLength());
    expect(Math.min(...lengths)).toBeGreaterThan(0);
    expect(lengths.indexOf(Math.max(...lengths))).toBe(sizes.indexOf(Math.max(...sizes)));
  }
});

test("DB-01 the ten firmware versions most in use, the most used first, and how many sensors report none", async () => {
  await open({
    totalByMonitoringLicense: licensed,
    totalByInfoFirmware: [{ _id: null, count: 5000 }, ...firmware],
  });
  const table = page.getByRole("table", { name: "Top 10 most used firmware" });
  await expect.element(table).toBeVisible();
  const rows = table.getByRole("row").elements().slice(1);
  const shown = rows.map((row) => [...row.children].map((cell) => cell.textContent.trim()));
  const wanted = firmware.toReversed().slice(0, 10);
  expect(shown).toEqual(wanted.map(({ _id, count }) => [_id, String(count)]));
  const bars = rows.map((row) => row.querySelector("[aria-hidden]")?.getBoundingClientRect().width ?? 0);
  expect(bars.map((width) => Math.round((width / (bars[0] ?? 1)) * 12))).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  await expect.element(page.getByText("5,000 sensors have not reported a firmware")).toBeVisible();
});

test("DB-01 every legend entry and every bar leads to the list that it counts, those of none, too", async () => {
  const { address } = await open({ totalByMonitoringLicense: licensed, totalByInfoFirmware: firmware });
  const links = (name: string) => figure(name).getByRole("link");
  await expect.element(figure("Monitored")).toBeVisible();
  expect(targets(links("Online and offline"))).toEqual({
    Online: "/sensor?connected=connected",
    "Not responding": "/sensor?connected=notResponding",
    Offline: "/sensor?connected=disconnected",
  });
  expect(targets(links("By sensor type"))).toEqual({
    APS: "/sensor?sensorType=APS",
    "PS.C1": "/sensor?sensorType=PS.C1",
    ZOD: "/sensor?sensorType=ZOD",
  });
  expect(targets(links("Monitored"))).toEqual({
    Monitored: "/sensor?monitored=true",
    Unmonitored: "/sensor?monitored=false",
  });
  const table = page.getByRole("table", { name: "Top 10 most used firmware" });
  const bars = targets(table.getByRole("link"));
  expect(Object.keys(bars)).toHaveLength(10);
  expect(bars["1.12.0"]).toBe("/sensor?infoSoftwareFirmwareVersion=1.12.0");
  // Clicks the bar, not the version.
  const row = table.getByRole("row", { name: /^1\.11\.0/ });
  const { right, top, height } = row.element().getBoundingClientRect();
  const hit = document.elementFromPoint(right - 20, top + height / 2);
  if (!(hit instanceof HTMLElement)) throw new Error("nothing there");
  hit.click();
  await expect.poll(address).toBe("/sensor?infoSoftwareFirmwareVersion=1.11.0");
});

test("DB-01 locations with and without the occupancy app are links to their lists", async () => {
  await open({ totalByMonitoringLicense: licensed }, { measurement: { canViewObject: below } });
  await expect.element(figure("Occupancy app")).toBeVisible();
  expect(targets(figure("Occupancy app").getByRole("link"))).toEqual({
    "With occupancy app": "/location?occupancy=true",
    "Without occupancy app": "/location?occupancy=false",
  });
});

const todayCard = () => page.getByRole("region", { name: "Today" });

test("the first card says today's numbers, each a link to the list that it counts", async () => {
  await open(
    {
      totalByMonitoringLicense: licensed,
      totalByScomState: [{ _id: "disconnected", count: 34 }],
      totalByLastContact: [],
      totalByInstallation: [
        { _id: "done", count: 90 },
        { _id: "installing", count: 1200 },
      ],
    },
    { measurement: { canViewObject: below } },
    { in: 45_678, out: 45_000, completeness: 0.9, locations: 12, incomplete: 2 },
  );
  await expect.element(todayCard().getByText("45,678")).toBeVisible();
  expect(targets(todayCard().getByRole("link"))).toEqual({
    "People in since midnight45,678": "/location",
    Offline34: "/sensor?connected=disconnected",
    "Installing1,200": "/sensor?installation=installing",
    Failed0: "/sensor?installation=failed",
  });
  const cards = page
    .getByRole("region")
    .elements()
    .map((card) => card.getAttribute("aria-label"));
  expect(cards.filter((name) => name !== "Visitors today" && name !== "Best and worst")[0]).toBe("Today");
});

test("people whom no sensor counted are not zero people", async () => {
  await open(
    { totalByMonitoringLicense: licensed },
    { measurement: { canViewObject: below } },
    { in: null, out: null, completeness: null, locations: 0, incomplete: 0 },
  );
  await expect.element(todayCard().getByRole("link", { name: /^People in since midnight\s*–$/ })).toBeVisible();
});

test("who may not view locations has no tile of people", async () => {
  await open({ totalByMonitoringLicense: licensed });
  await expect.element(todayCard().getByRole("link", { name: /^Offline/ })).toBeVisible();
  expect(
    todayCard()
      .getByRole("link", { name: /^People in/ })
      .elements(),
  ).toEqual([]);
});

const troubleCard = () => page.getByRole("region", { name: "Needs attention" });

test("the second card lists problems, each number linking to its list", async () => {
  await open(
    {
      totalByMonitoringLicense: licensed,
      totalByScomState: [
        { _id: "disconnected", count: 34 },
        { _id: "notResponding", count: 7 },
      ],
      totalByInstallation: [{ _id: "failed", count: 5 }],
      totalByLastContact: [
        { _id: "24h", count: 1203 },
        { _id: "7d", count: 2 },
        { _id: "never", count: 1 },
      ],
    },
    { measurement: { canViewObject: below } },
    { in: 1, out: 1, completeness: 0.7, locations: 12, incomplete: 4 },
    { Warning: 12, Error: 1034 },
  );
  await expect.element(troubleCard()).toBeVisible();
  expect(targets(troubleCard().getByRole("link"))).toEqual({
    "Open errors1,034": "/issues?issueStatus=Error",
    "Open warnings12": "/issues?issueStatus=Warning",
    "Offline for more than a day1,203": "/sensor?lastContact=24h",
    "Never connected1": "/sensor?lastContact=never",
    "Not responding7": "/sensor?connected=notResponding",
    "Installation failed5": "/sensor?installation=failed",
    "Locations with missing counts yesterday4": "/location/counts?range=yesterday&sortBy=completeness",
  });
  expect(troubleCard().getByText("All sensors online").elements()).toEqual([]);
  const cards = () =>
    page
      .getByRole("region")
      .elements()
      .map((card) => card.getAttribute("aria-label"))
      .filter((label) => label !== "Map");
  await expect
    .poll(cards)
    .toEqual([
      "Visitors today",
      "Best and worst",
      "Today",
      "Needs attention",
      "Sensors",
      "Locations",
      "Sensors with issues",
    ]);
});

test("where nothing is wrong, that is said, and no row of zeros", async () => {
  await open({ totalByMonitoringLicense: licensed }, { measurement: { canViewObject: below } });
  await expect.element(troubleCard().getByText("All sensors online")).toBeVisible();
  await expect.element(troubleCard().getByText("No failed installations")).toBeVisible();
  await expect.element(troubleCard().getByText("Yesterday's counts are complete")).toBeVisible();
  expect(troubleCard().getByRole("link").elements()).toEqual([]);
});

test("problems are shown next to what is fine, without counts of invisible locations", async () => {
  await open({ totalByMonitoringLicense: licensed, totalByLastContact: [{ _id: "never", count: 1 }] });
  await expect.element(troubleCard().getByText("No failed installations")).toBeVisible();
  expect(targets(troubleCard().getByRole("link"))).toEqual({ "Never connected1": "/sensor?lastContact=never" });
  expect(
    troubleCard()
      .getByText(/online|counts/)
      .elements(),
  ).toEqual([]);
});

test.each(everyNth(4, [390, 820, 1280, 1440, 1920, 2560]))(
  "the cards of the dashboard leave no half of %d pixels empty",
  async (width) => {
    await page.viewport(width, 900);
    try {
      await open(
        { totalByMonitoringLicense: licensed, totalByInfoFirmware: firmware },
        { measurement: { canViewObject: below } },
      );
      await expect.element(page.getByRole("table", { name: "Top 10 most used firmware" })).toBeVisible();
      await expect.element(page.getByRole("region", { name: "Map" })).toBeVisible();
      const boxOf = (element: Element | null | undefined) => element?.getBoundingClientRect() ?? new DOMRect();
      const right = boxOf(page.getByRole("table", { name: "Top 10 most used firmware" }).element()).right;
      const card = boxOf(page.getByRole("region", { name: "Sensors", exact: true }).element());
      expect(card.right - right).toBeLessThan(40);
      const locations = boxOf(page.getByRole("region", { name: "Locations", exact: true }).element());
      expect(locations.right - boxOf(page.getByRole("region", { name: "Map" }).element()).right).toBeLessThan(40);
      expect(width - locations.right).toBeLessThanOrEqual(40);
      const tiles = todayCard()
        .getByRole("link")
        .elements()
        .map((tile) => tile.getBoundingClientRect());
      const lastRow = tiles.filter(({ top }) => top === Math.max(...tiles.map((tile) => tile.top)));
      expect(boxOf(todayCard().element()).right - Math.max(...lastRow.map((tile) => tile.right))).toBeLessThan(40);
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    } finally {
      await page.viewport(1280, 800);
    }
  },
);

test("DB-01 a single sensor without a firmware is reported in the singular", async () => {
  await open({ totalByMonitoringLicense: licensed, totalByInfoFirmware: [{ _id: null, count: 1 }] });
  await expect.element(page.getByText("1 sensor has not reported a firmware")).toBeVisible();
});

test.each([
  ["no license among the sensors", { totalByMonitoringLicense: [{ _id: false, count: 9 }] }],
  ["a license that no sensor holds", { totalByMonitoringLicense: [{ _id: true, count: 0 }] }],
  ["no sensor at all", {}],
])("DB-04 with %s the dashboard's address leads home", async (_case, stats) => {
  const { address } = await open(stats);
  await expect.poll(address).toBe("/sensor");
  expect(page.getByRole("heading", { level: 1, name: "Dashboard" }).elements()).toEqual([]);
});

test("DB-04 one license is enough", async () => {
  const { address } = await open({
    totalByMonitoringLicense: [
      { _id: false, count: 9 },
      { _id: true, count: 1 },
    ],
  });
  await expect.element(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
  await expect.poll(address).toBe("/dashboard");
});
