// Tests requests, filters in the URL and batch acknowledgement of the monitoring log with stubbed responses (MO-04, MO-05).
import type { Issue, ListedIssue } from "@psp/contract/monitoring/issue.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainLocation, plainSensor } from "../../testing/objects.ts";
import { issueId, plainDetail, plainIssue } from "../monitoring.testing.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const rightsTo = (more: object): Permissions => ({
  ownable: { sensor: { canViewObject: below, ...more }, measurement: { canViewObject: below } },
});
const editor = rightsTo({ canEditObject: below });
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const mac = "02:00:00:00:7A:01";
const zone = "Europe/Berlin";
const plain = plainLocation({ _id: id(6), name: "Harbour Shop", owner, types: ["monitoringStatus"] });
const shop = { ...plain, location: { ...plain.location, timezone: zone } };
const sensor = plainSensor({
  _id: mac,
  owner,
  types: ["monitoringStatus"],
  issueStatus: "Error",
  measurement: { _id: id(6), name: "Harbour Shop", isDeleted: false, location: { timezone: zone } },
});
const three = [
  plainIssue(0),
  plainIssue(1, {
    type: "plauzibilization",
    status: "Warning",
    message: "2 days in a row",
    acknowledgedAt: "2026-11-20T10:30:00.000Z",
  }),
  plainIssue(2, { status: "Ok", message: "Back in contact" }),
];

type Given = { issues?: Issue[]; total?: number; rights?: Permissions; more?: StubbedResponses };

function open(address: string, { issues = three, total, rights = editor, more = {} }: Given = {}) {
  const asked: URLSearchParams[] = [];
  const opened = openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions: rights, email: "a1@example.com" } },
    "GET /api/account": listResponse([self]),
    "GET /api/v2/measurement": listResponse([shop]),
    "GET /api/v2/sensor": listResponse([sensor]),
    [`GET /api/measurement/${id(6)}`]: { status: 200, body: shop },
    [`GET /api/sensor/${encodeURIComponent(mac)}`]: { status: 200, body: sensor },
    "GET /api/v2/issue": (_, query) => {
      // Ignores the request of the page header.
      if (query.get("includeTotals") === "true") asked.push(query);
      return listResponse<Issue>(issues, total);
    },
    ...more,
  });
  return opened.then((console) => ({ ...console, asked }));
}
const log = `/location/${id(6)}/issues`;
const table = page.getByRole("table", { name: "Monitoring Logs" });
const row = (text: string | RegExp) => page.getByRole("row", { name: text });
const queryOf = (query: URLSearchParams | undefined, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, query?.getAll(name)]));

test("MO-04 the log of a location, the newest first, with its columns; the server orders it by any of them", async () => {
  const { asked, address } = await open(log);
  const names = () =>
    table
      .getByRole("columnheader")
      .elements()
      .map((head) => head.textContent.trim())
      .filter((name) => name !== "");
  await expect.poll(names).toEqual(["Date Created", "Issue Type", "Message", "Sensor", "Acknowledged", "Status"]);
  const first = row(/Offline for 2 days/);
  await expect.element(first).toBeVisible();
  expect(queryOf(asked[0], "measID", "sortBy", "limit")).toEqual({
    measID: [id(6)],
    sortBy: ["-startUTC"],
    limit: ["50"],
  });
  for (const text of ["20 Nov 2026, 11:00", "Connection", "Error"])
    await expect.element(first.getByText(text, { exact: true })).toBeVisible();
  await expect.element(first.getByRole("link", { name: mac })).toHaveAttribute("href", `/sensor/${mac}`);
  await expect.element(row(/Data plausibility/).getByRole("img", { name: "acknowledged" })).toBeVisible();
  expect(first.getByRole("img", { name: "acknowledged" }).elements()).toEqual([]);
  await table.getByRole("button", { name: "Status" }).click();
  await expect.poll(() => asked.at(-1)?.get("sortBy")).toBe("issueStatus");
  expect(address()).toBe(`${log}?sortBy=issueStatus`);
});

test("MO-04 filters are in the URL, with days in the location's zone, and removable as chips", async () => {
  const query = `fromToDates=2026-11-01,2026-11-20&issueType=connection&issueType=osd&issueStatus=Error&acknowledged=false&sensorIDs=${mac}`;
  const { asked, address } = await open(`${log}?${query}`);
  await expect.element(row(/Offline for 2 days/)).toBeVisible();
  expect(
    queryOf(asked[0], "from", "to", "issueType", "issueStatus", "acknowledged", "sensorIDs", "fromToDates"),
  ).toEqual({
    from: ["2026-10-31T23:00:00.000Z"],
    to: ["2026-11-20T23:00:00.000Z"],
    issueType: ["connection", "osd"],
    issueStatus: ["Error"],
    acknowledged: ["false"],
    sensorIDs: [mac],
    fromToDates: [],
  });
  const chips = page.getByRole("list", { name: "Active filters" });
  for (const name of [
    /^Remove filter Date Created: 1.–.20 Nov 2026$/,
    "Issue Type: Connection",
    "Issue Type: OSD",
    "Status: Error",
    "Acknowledged: unacknowledged",
    `Sensor: ${mac}`,
  ])
    await expect
      .element(chips.getByRole("button", { name: typeof name === "string" ? `Remove filter ${name}` : name }))
      .toBeVisible();
  await chips.getByRole("button", { name: "Remove filter Issue Type: Connection" }).click();
  await expect.poll(() => asked.at(-1)?.getAll("issueType")).toEqual(["osd"]);
  await chips.getByRole("button", { name: "Clear all" }).click();
  await expect.poll(address).toBe(log);
});

test(
  "MO-04 the filter menu: presets and a range of days, types, statuses, acknowledged, sensor",
  { tags: "prove" },
  async () => {
    const { asked, address } = await open(log);
    await page.getByRole("button", { name: "Filters" }).click();
    const filters = page
      .getByRole("dialog", { name: "Filters" })
      .or(page.getByRole("complementary", { name: "Filters" }));
    for (const name of ["Last 7 days", "Last 30 days", "Last 90 days"])
      await expect.element(filters.getByRole("button", { name })).toBeVisible();
    await filters.getByRole("button", { name: "Last 7 days" }).click();
    await expect.poll(address).toMatch(/fromToDates=\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d$/);
    await expect
      .element(page.getByRole("button", { name: "Remove filter Date Created: Last 7 days" }))
      .toBeInTheDocument();
    await filters.getByLabelText("To").fill("2026-03-31");
    await filters.getByLabelText("From").fill("2026-03-29");
    await expect.poll(address).toBe(`${log}?fromToDates=2026-03-29,2026-03-31`);
    await expect
      .poll(() => queryOf(asked.at(-1), "from", "to"))
      .toEqual({
        from: ["2026-03-28T23:00:00.000Z"],
        to: ["2026-03-31T22:00:00.000Z"],
      });
    await filters.getByRole("combobox", { name: "Issue Type" }).click();
    for (const name of ["Uptime", "Reboot"]) await page.getByRole("option", { name }).click();
    await userEvent.keyboard("{Escape}");
    await expect.poll(() => asked.at(-1)?.getAll("issueType")).toEqual(["uptime", "reboot"]);
    await filters.getByRole("combobox", { name: "Acknowledged" }).click();
    await page.getByRole("option", { name: "unacknowledged", exact: true }).click();
    await expect.poll(() => asked.at(-1)?.get("acknowledged")).toBe("false");
    await filters.getByRole("combobox", { name: "Sensor" }).click();
    await page.getByRole("option", { name: new RegExp(mac) }).click();
    await expect.poll(() => asked.at(-1)?.getAll("sensorIDs")).toEqual([mac]);
  },
);

test("MO-04 a sensor's log requests only this sensor and has no sensor filter", async () => {
  const query = encodeURIComponent("issueType=connection&acknowledged=false");
  const { asked, address } = await open(`/sensor/${mac}/logs?query=${query}`);
  await expect.poll(address).toBe(`/sensor/aps/${mac}/logs?issueType=connection&acknowledged=false`);
  await expect.element(row(/Offline for 2 days/)).toBeVisible();
  expect(queryOf(asked.at(-1), "sensorIDs", "measID", "issueType")).toEqual({
    sensorIDs: [mac],
    measID: [],
    issueType: ["connection"],
  });
  await page.getByRole("button", { name: /^Filters/ }).click();
  await expect.element(page.getByRole("combobox", { name: "Status" })).toBeVisible();
  expect(page.getByRole("combobox", { name: "Sensor" }).elements()).toEqual([]);
  // Only the latest entry of an issue type counts as open.
  await expect.element(page.getByRole("link", { name: /^2 open issues/ })).toBeVisible();
});

test("MO-04 nothing found and nothing there are two screens", { tags: "prove" }, async () => {
  const { screen } = await open(`${log}?issueType=osd`, { issues: [] });
  await expect.element(page.getByText("No entries found", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Show all entries" }).click();
  await expect.element(page.getByText("No entries yet")).toBeVisible();
  await screen.unmount();
});

test(
  "MO-05 chosen entries are acknowledged in one call; what is Ok is refused, with its reason",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open(log, {
      more: {
        "PUT /api/datapoints": (body) => {
          sent.push(body);
          const reason = "Only warnings and errors can be acknowledged.";
          return {
            status: 200,
            body: { success: 1, fail: [{ id: issueId(2), errMessage: "Invalid argument.", details: { reason } }] },
          };
        },
      },
    });
    await page.getByRole("checkbox", { name: /^Select Connection of .*11:00:00/ }).click();
    await page.getByRole("checkbox", { name: /^Select Connection of .*09:00:00/ }).click();
    await expect.element(page.getByText("2 selected")).toBeVisible();
    await page.getByRole("button", { name: "Set acknowledged" }).click();
    const dialog = page.getByRole("dialog", { name: "Acknowledge 2 entries" });
    await dialog.getByRole("button", { name: "Set acknowledged" }).click();
    await expect
      .element(dialog.getByText("1 issue(s) failed to update! 1 issue(s) was/were updated successfully."))
      .toBeVisible();
    await expect.element(dialog.getByText(/Only warnings and errors can be acknowledged/).first()).toBeVisible();
    expect(sent).toEqual([
      {
        ids: [issueId(0), issueId(2)],
        expectedCount: 2,
        changes: { data: { acknowledgedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown } },
      },
    ]);
  },
);

test(
  "MO-05 all that the filters match are acknowledged by query, without the excluded ones",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open(`${log}?issueStatus=Error&acknowledged=false&fromToDates=2026-11-01,2026-11-20`, {
      total: 120,
      more: {
        "PUT /api/datapoints": (body) => {
          sent.push(body);
          return { status: 200, body: { success: 119, fail: [] } };
        },
      },
    });
    await page.getByRole("checkbox", { name: /11:00:00/ }).click();
    await page.getByRole("button", { name: "Select all 120" }).click();
    await page.getByRole("checkbox", { name: /09:00:00/ }).click();
    await expect.element(page.getByText("119 selected")).toBeVisible();
    await page.getByRole("button", { name: "Set acknowledged" }).click();
    const dialog = page.getByRole("dialog", { name: "Acknowledge 119 entries" });
    await dialog.getByRole("button", { name: "Set acknowledged" }).click();
    await expect.element(dialog.getByText("Successfully updated all 119 issue(s)!")).toBeVisible();
    expect(sent).toMatchObject([
      {
        query: {
          measID: id(6),
          issueStatus: "Error",
          acknowledged: false,
          from: "2026-10-31T23:00:00.000Z",
          to: "2026-11-20T23:00:00.000Z",
          exclude: [issueId(2)],
        },
        expectedCount: 119,
      },
    ]);
  },
);

test("MO-05 who may edit no sensor reads why nothing can be acknowledged", { tags: "prove" }, async () => {
  await open(log, {
    rights: rightsTo({}),
    more: { [`GET /api/v2/issue/${issueId(0)}`]: { status: 200, body: plainDetail(three[0] as ListedIssue) } },
  });
  await page.getByRole("checkbox", { name: /11:00:00/ }).click();
  const batch = page.getByRole("button", { name: "Set acknowledged" });
  await expect.element(batch).toHaveAttribute("aria-description", "You have no permission to acknowledge issues.");
  await page.getByRole("link", { name: /11:00$/ }).click();
  const one = page.getByRole("dialog").getByRole("button", { name: "Set acknowledged" });
  await expect.element(one).toHaveAttribute("aria-description", "You have no permission to acknowledge issues.");
});
