// Tests the dashboard table of sensors with issues, using stubbed responses (DB-02).
import type { SensorIssues } from "@psp/contract/monitoring/monitoring.api.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainSensor } from "../../testing/objects.ts";
import { issueId } from "../monitoring.testing.ts";

const below = { me: true, myChildren: true };
const permissions: Permissions = { ownable: { sensor: { canViewObject: below } } };
const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });
const mac = (n: number) => `02:00:00:00:7A:${String(n).padStart(2, "0")}`;

const sensorWith = (n: number, ...issues: Partial<SensorIssues["issues"][number]>[]): SensorIssues => ({
  sens: mac(n),
  measurement: null,
  issues: issues.map((issue, at) => ({
    _id: issueId(n * 4 + at),
    issueType: "connection",
    issueStatus: "Error",
    issueMessage: "Offline for 2 days",
    startUTC: "2026-11-20T10:00:00.000Z",
    acknowledgedAt: null,
    ...issue,
  })),
});
const worst = sensorWith(1, {}, { issueType: "reboot", issueStatus: "Warning", issueMessage: "3 reboots in 24 hours" });

const zero = {
  totalByInfoFirmware: [],
  totalByScomState: [],
  totalByType: [],
  totalByInstallation: [],
  totalByLastContact: [],
};

function open(rows: readonly SensorIssues[], total = rows.length, more: StubbedResponses = {}) {
  const asked: URLSearchParams[] = [];
  const opened = openConsole("/dashboard", {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/v2/sensor/stats": { status: 200, body: { ...zero, totalByMonitoringLicense: [{ _id: true, count: 3 }] } },
    "GET /api/account": listResponse([me]),
    "GET /api/v2/issue/by-sensor": (_, query) => {
      asked.push(query);
      return { status: 200, body: { objects: rows, total } };
    },
    "GET /api/v2/issue/count": { status: 200, body: { errors: total, warnings: 0, snoozed: 0, changesAt: null } },
    ...more,
  });
  return opened.then((console) => ({ ...console, asked }));
}
const card = page.getByRole("region", { name: "Sensors with issues", exact: true });

test("DB-02 sensors with their issues as sign and word, the message on hover; nine on a page", async () => {
  const { asked } = await open([worst, ...Array.from({ length: 8 }, (_, n) => sensorWith(n + 2, {}))], 20);
  const heads = card.getByRole("columnheader");
  await expect.poll(() => card.getByRole("row").elements().length).toBe(10);
  expect(heads.elements().map((head) => head.textContent.trim())).toEqual(["Sensor", "Issues"]);
  expect([...(asked[0] ?? [])]).toEqual([
    ["limit", "9"],
    ["includeTotals", "true"],
  ]);
  const row = card.getByRole("row", { name: new RegExp(mac(1)) });
  await expect.element(row.getByText("Connection · Error")).toBeVisible();
  await userEvent.hover(row.getByText("Reboot · Warning"));
  await expect.element(page.getByRole("tooltip").getByText("3 reboots in 24 hours")).toBeVisible();
  await card.getByRole("button", { name: "Page 3" }).click();
  await expect.poll(() => asked.at(-1)?.get("skip")).toBe("18");
  await card.getByRole("checkbox", { name: "include acknowledged unresolved issues" }).click();
  await expect.poll(() => asked.at(-1)?.get("acknowledged")).toBe("true");
  expect(asked.at(-1)?.get("skip")).toBeNull();
});

test("DB-02 a row links to the sensor's log with the row's filters", { tags: "prove" }, async () => {
  const sensor = plainSensor({
    _id: mac(1),
    owner: { _id: me._id, name: me.name, isDeleted: false },
    types: ["monitoringStatus"],
  });
  const { address, back } = await open([worst], 1, {
    "GET /api/v2/sensor": listResponse([sensor]),
    [`GET /api/sensor/${encodeURIComponent(mac(1))}`]: { status: 200, body: sensor },
    "GET /api/v2/issue": listResponse([]),
  });
  const filter = "issueType=connection&issueType=reboot&issueStatus=Warning&issueStatus=Error";
  const link = card.getByRole("link", { name: mac(1) });
  await expect
    .element(link)
    .toHaveAttribute("href", `/sensor/${mac(1)}/logs?query=${encodeURIComponent(`${filter}&acknowledged=false`)}`);
  await card.getByText("Connection · Error").click();
  await expect.poll(address).toBe(`/sensor/aps/${mac(1)}/logs?${filter}&acknowledged=false`);
  back();
  await card.getByRole("checkbox", { name: "include acknowledged unresolved issues" }).click();
  await expect.element(link).toHaveAttribute("href", `/sensor/${mac(1)}/logs?query=${encodeURIComponent(filter)}`);
});

const openIssues = "/sensor?issueStatus=Warning&issueStatus=Error&acknowledged=false";

test("DB-02 the table and the card of trouble say when no sensor has issues, and how many have", async () => {
  const { screen } = await open([]);
  await expect.element(card.getByText("No sensor has issues")).toBeVisible();
  await expect.element(page.getByText("No open issues")).toBeVisible();
  await screen.unmount();
  await open([worst], 12);
  const tile = page.getByRole("link", { name: /^Open errors/ });
  await expect.poll(() => tile.element().textContent).toMatch(/12$/);
  await expect.element(tile).toHaveAttribute("href", "/issues?issueStatus=Error");
  const all = card.getByRole("link", { name: "Show all in the sensor list" });
  await expect.element(all).toHaveAttribute("href", openIssues);
  await card.getByRole("checkbox", { name: "include acknowledged unresolved issues" }).click();
  await expect.element(all).toHaveAttribute("href", "/sensor?issueStatus=Warning&issueStatus=Error");
});
