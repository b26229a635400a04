// Tests the URL, acknowledgement, mails and facts of the issue dialog with stubbed responses (MO-04, MO-05).
import type { IssueDetail } from "@psp/contract/monitoring/issue.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { redSquare } from "../../testing/picture.ts";
import { listResponse, plainAccount, plainLocation, plainSensor } from "../../testing/objects.ts";
import { issueId, plainDetail, plainIssue } from "../monitoring.testing.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const permissions: Permissions = {
  ownable: { sensor: { canViewObject: below, canEditObject: below }, measurement: { canViewObject: below } },
};
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const shop = plainLocation({ _id: id(6), name: "Harbour Shop", owner, types: ["monitoringStatus"] });
const seen = `GET /api/sensor/${encodeURIComponent(plainIssue(0).sens)}`;
const log = `/location/${id(6)}/issues`;

const open = (address: string, issue: IssueDetail, more: StubbedResponses = {}) =>
  openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "a1@example.com" } },
    "GET /api/account": listResponse([self]),
    "GET /api/v2/measurement": listResponse([shop]),
    "GET /api/v2/sensor": listResponse([]),
    [`GET /api/measurement/${id(6)}`]: { status: 200, body: shop },
    "GET /api/v2/issue": listResponse([plainIssue(0)]),
    [`GET /api/v2/issue/${issueId(0)}`]: { status: 200, body: issue },
    [seen]: { status: 200, body: plainSensor({ _id: plainIssue(0).sens, owner }) },
    ...more,
  });
const opened = `${log}?issueStatus=Error&issue=${issueId(0)}`;
const dialog = page.getByRole("dialog", { name: /^\w.*: 02:00:00:00:7A:01$/ });

test("MO-04 a row opens its issue by URL; closing it keeps the log and its filters", async () => {
  const { address } = await open(
    `${log}?issueStatus=Error`,
    plainDetail(plainIssue(0), {
      holds: false,
      facts: { since: "2026-11-18T10:00:00.000Z" },
      acknowledgedBy: { _id: id(2), name: "Ada Smith" },
      data: { ...plainIssue(0).data, acknowledgedAt: "2026-11-20T12:00:00.000Z" },
      mails: [
        { to: "ada@example.com", state: "sent", at: "2026-11-20T10:00:05.000Z", reason: null },
        { to: "bob@example.com", state: "waiting", at: "2026-11-23T00:00:00.000Z", reason: null },
        { to: "eve@example.com", state: "dropped", at: null, reason: "unsubscribed" },
      ],
    }),
  );
  await page.getByRole("row", { name: /Offline for 2 days/ }).click();
  await expect.element(dialog.getByText("Offline for 2 days", { exact: true })).toBeVisible();
  expect(address()).toBe(opened);
  for (const text of [
    /^Email sent to ada@example\.com on 20 Nov 2026/,
    /^Email to bob@example\.com scheduled for 23 Nov 2026, \d\d:\d\d \((\w+ time|UTC)\)$/,
    "Email to eve@example.com not sent: unsubscribed",
    /^By Ada Smith at 20 Nov 2026/,
    "No longer current",
    /for 2 days at that time/,
  ])
    await expect.element(dialog.getByText(text).first()).toBeVisible();
  await expect
    .element(dialog.getByRole("link", { name: "02:00:00:00:7A:01" }))
    .toHaveAttribute("href", "/sensor/02:00:00:00:7A:01");
  await expect
    .element(dialog.getByRole("link", { name: "Harbour Shop" }))
    .toHaveAttribute("href", `/location/${id(6)}/general`);
  expect(dialog.getByRole("button", { name: "Set acknowledged" }).elements()).toEqual([]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect.poll(address).toBe(`${log}?issueStatus=Error`);
  await expect.element(dialog).not.toBeInTheDocument();
});

test.each<[string, Partial<IssueDetail["facts"]>, string, string[], string | RegExp]>(
  everyNth(3, [
    [
      "plauzibilization",
      {
        plausibility: {
          earlier: [{ date: "2026-11-17", value: 118 }],
          days: [
            { date: "2026-11-18", value: 0, low: 80, high: 160, median: 120 },
            { date: "2026-11-19", value: null, low: 85, high: 155, median: 119 },
          ],
        },
      },
      "Daily totals",
      ["Wed 18 Nov 2026", "80–160", "–"],
      "Usual for this weekday",
    ],
    [
      "uptime",
      {
        uptime: {
          mean: 2.25,
          wanted: 3,
          days: [
            { date: "2026-11-18", value: 2.5 },
            { date: "2026-11-19", value: 2 },
          ],
        },
      },
      "Uptime per day in hours",
      ["Thu 19 Nov 2026", "2.5"],
      "The average over these days is 2.3 h.",
    ],
    [
      "reboot",
      {
        events: {
          count: 5,
          threshold: 5,
          at: [
            { at: "2026-11-20T08:00:00.000Z", count: 3 },
            { at: "2026-11-20T09:00:00.000Z", count: 2 },
          ],
        },
      },
      "Reboots in 24 hours",
      ["3", "2"],
      "5 in 24 hours; the threshold is 5.",
    ],
    [
      "watchdog",
      { events: { count: 1, threshold: 1, at: [{ at: "2026-11-20T08:00:00.000Z", count: 1 }] } },
      "Watchdog resets in 24 hours",
      ["1"],
      "1 in 24 hours; the threshold is 1.",
    ],
    [
      "osd",
      { since: "2026-11-19T10:00:00.000Z", osd: 2 },
      "View obstructed",
      ["Reported code", "2"],
      /for 1 day at that time$/,
    ],
  ]),
)("MO-04 what the check saw is drawn, and stands in a table: %s", async (type, facts, name, cells, said) => {
  const issue = plainIssue(0, { type: type as "uptime", status: "Warning" });
  await open(opened, plainDetail(issue, { facts, notMailed: "emails about warnings are turned off" }));
  const figure = dialog.getByRole("figure", { name });
  await expect.element(figure.getByText(said).first()).toBeVisible();
  await expect.element(dialog.getByText("No email sent: emails about warnings are turned off")).toBeVisible();
  await figure.getByRole("button", { name: "Show table" }).click();
  for (const cell of cells)
    await expect.element(figure.getByRole("table").getByText(cell, { exact: true }).first()).toBeVisible();
});

test("MO-05 one issue is acknowledged in its dialog, and says so then; a refusal says its reason", async () => {
  const issue = plainIssue(0);
  const sent: unknown[] = [];
  let acknowledged = false;
  let refusal: object | undefined = {
    id: issueId(0),
    errMessage: "Missing right.",
    details: { reason: "You can't edit this entry's sensor." },
  };
  await open(opened, plainDetail(issue), {
    [`GET /api/v2/issue/${issueId(0)}`]: () => ({
      status: 200,
      body: plainDetail(
        { ...issue, data: { ...issue.data, acknowledgedAt: acknowledged ? "2026-11-20T12:00:00.000Z" : null } },
        { acknowledgedBy: acknowledged ? { _id: id(1), name: "Northwind" } : null },
      ),
    }),
    "PUT /api/datapoints": (body) => {
      sent.push(body);
      acknowledged = refusal === undefined;
      return { status: 200, body: { success: acknowledged ? 1 : 0, fail: refusal === undefined ? [] : [refusal] } };
    },
  });
  const button = dialog.getByRole("button", { name: "Set acknowledged" });
  await button.click();
  await expect
    .element(page.getByRole("alert").getByText(/Missing right\. You can't edit this entry's sensor/))
    .toBeVisible();
  refusal = undefined;
  await button.click();
  await expect.element(dialog.getByText(/^By Northwind at 20 Nov 2026/)).toBeVisible();
  expect(button.elements()).toEqual([]);
  expect(sent).toMatchObject([{ ids: [issueId(0)] }, { ids: [issueId(0)] }]);
});

test(
  "MO-04 SE-11 an ongoing obstruction shows a current picture of the sensor with its time",
  { tags: "prove" },
  async () => {
    const issue = plainIssue(0, { type: "osd", message: "View covered for 1 day" });
    const facts = { since: "2026-11-19T10:00:00.000Z", osd: 1 };
    const picture = await redSquare("image/png");
    const plain = plainSensor({ _id: issue.sens, owner });
    const answers = (isConnected: boolean): StubbedResponses => ({
      [seen]: {
        status: 200,
        body: { ...plain, scomState: { ...plain.scomState, isConnected } },
      },
      [`POST /api/sensor/${encodeURIComponent(issue.sens)}/request`]: {
        status: 200,
        body: {
          ok: true,
          func: "getSnapshot",
          data: picture,
          ct: "image/png",
          timestamp: Date.UTC(2026, 10, 20, 12),
          durMs: 5,
        },
      },
    });
    const { screen } = await open(opened, plainDetail(issue, { facts }), answers(true));
    await dialog.getByRole("button", { name: "Take snapshot" }).click();
    await expect.element(dialog.getByRole("img", { name: `Snapshot of ${issue.sens}` })).toBeVisible();
    await expect.element(dialog.getByText(/^Taken 20 Nov 2026/)).toBeVisible();
    await screen.unmount();
    const again = await open(opened, plainDetail(issue, { facts }), answers(false));
    await expect
      .element(dialog.getByRole("button", { name: "Take snapshot" }))
      .toHaveAttribute("aria-disabled", "true");
    await again.screen.unmount();
    await open(opened, plainDetail(issue, { facts, holds: false }), answers(true));
    await expect.element(dialog.getByRole("figure", { name: "View obstructed" })).toBeVisible();
    expect(dialog.getByRole("button", { name: "Take snapshot" }).elements()).toEqual([]);
  },
);

test("MO-04 an address of an issue that is not there says so", { tags: "prove" }, async () => {
  await open(opened, plainDetail(plainIssue(0)), {
    [`GET /api/v2/issue/${issueId(0)}`]: { status: 404, body: { code: 105, error: "Not found." } },
  });
  await expect.element(page.getByText("This issue doesn't exist, or you can't view it.")).toBeVisible();
});
