// Tests reports in the console with stubbed responses: from the comparison to a report, the list, the runs, and the mailed link.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import type { Report } from "@psp/contract/report/report.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { openConsole, type StubbedResponses } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";

const me = plainAccount({ _id: "00000000-0000-7000-8000-000000000001", name: "Northwind" });

function reportOf(more: Partial<Report> = {}): Report {
  return {
    _id: "0190a000-0000-7000-8000-000000000001",
    name: "Numbers for the board",
    owner: { _id: me._id, name: me.name, isDeleted: false },
    filters: {},
    range: "lastWeek",
    by: null,
    open: false,
    compare: "previous",
    groupBy: "none",
    content: ["summary", "ranking", "chart", "gaps"],
    formats: ["pdf"],
    schedule: { every: "week", on: "mo", at: "07:00", zone: "Europe/Berlin" },
    language: "en",
    recipients: [
      { email: "me@example.com", status: "confirmed" },
      { email: "boss@example.org", status: "waiting" },
    ],
    recipientCount: 2,
    enabled: true,
    stopped: null,
    isWeekly: false,
    creator: { _id: me._id, name: me.name },
    nextAt: "2026-11-30T06:00:00.000Z",
    lastRun: { at: "2026-11-23T06:00:00.000Z", state: "done" },
    isDeleted: false,
    version: 1,
    ...more,
  };
}

const openReports = (address: string, more: StubbedResponses = {}, rows: readonly Report[] = [reportOf()]) =>
  openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions: fullPermissions, email: "me@example.com" } },
    "GET /api/account": listResponse([me]),
    "GET /api/report": listResponse([...rows]),
    ...more,
  });

test("DB-03 the list shows schedule, recipients, last and next run, and status", async () => {
  const rows = [
    reportOf(),
    reportOf({ _id: "0190a000-0000-7000-8000-000000000002", name: "Old", stopped: "It stopped." }),
  ];
  await openReports("/location/reports", {}, rows);
  const row = page.getByRole("row", { name: /Numbers for the board/ });
  await expect.element(row.getByText(/^Every Monday at 07:00/)).toBeVisible();
  await expect.element(row.getByText("On", { exact: true })).toBeVisible();
  await expect.element(page.getByRole("row", { name: /Old/ }).getByText("Stopped", { exact: true })).toBeVisible();
});

test("from the comparison a report needs only recipients: period and filters are filled in", async () => {
  const of = "range=last7days&tag=north&compare=year&groupBy=country";
  const post = vi.fn((_body: unknown) => ({ status: 200, body: reportOf() }));
  await openReports(`/location/reports/new?of=${encodeURIComponent(of)}`, { "POST /api/report": (body) => post(body) });
  await expect.element(page.getByLabelText("Name")).toHaveValue("Weekly numbers");
  await expect.element(page.getByText("Locations with the tags north")).toBeVisible();
  await page.getByLabelText("Recipients").click();
  await userEvent.keyboard("boss@example.org,");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.poll(() => post.mock.calls.length).toBe(1);
  expect(post.mock.calls[0]?.[0]).toMatchObject({
    name: "Weekly numbers",
    owner: me._id,
    recipients: ["boss@example.org"],
    range: "lastWeek",
    compare: "year",
    groupBy: "country",
    filters: { tag: ["north"] },
    schedule: { every: "week", on: "mo", at: "07:00" },
    formats: ["pdf"],
    enabled: true,
  });
});

test.each([
  ["lastMonth", "Last month", "Every month"],
  ["last7days", "Last week", "Every week"],
  ["yesterday", "Yesterday", "Every day"],
  ["monthToDate", "This month until yesterday", "Every week"],
])("from a comparison of %s, a report is about: %s", async (range, period, every) => {
  await openReports(`/location/reports/new?of=${encodeURIComponent(`range=${range}`)}`);
  await expect.element(page.getByRole("combobox", { name: "Period" })).toHaveTextContent(period);
  await expect.element(page.getByRole("combobox", { name: "How often" })).toHaveTextContent(every);
});

test("without a valid recipient nothing is sent, and the field says why", async () => {
  await openReports("/location/reports/new");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect.element(page.getByText("Enter at least one email address")).toBeVisible();
  await page.getByLabelText("Recipients").click();
  await userEvent.keyboard("boss,");
  await expect.element(page.getByText("boss is not an email address")).toBeVisible();
});

/** May create locations, but may not edit any account. */
const noEditor = {
  ...fullPermissions,
  owner: { ...fullPermissions.owner, canEditOwner: { me: false, myChildren: false } },
};
const asNoEditor = {
  "GET /api/auth/user": { status: 200, body: { ...me, permissions: noEditor, email: "me@example.com" } },
};

test("without an account that may be edited no report can be created", async () => {
  const { address } = await openReports("/location/reports/new", asNoEditor);
  await expect
    .element(page.getByText("You have no permission to create a report with any existing account as owner."))
    .toBeVisible();
  await expect.poll(address).toBe("/location/reports");
  await expect.element(page.getByRole("row", { name: /Numbers for the board/ })).toBeVisible();
  expect(page.getByRole("button", { name: "Create report" }).elements()).toEqual([]);
});

test("a report about named locations may be created for the own account without the right to edit it", async () => {
  const of = `ids=${me._id}&range=lastWeek`;
  await openReports(`/location/reports/new?of=${encodeURIComponent(of)}`, asNoEditor);
  await expect.element(page.getByRole("combobox", { name: "Owner" })).toHaveValue("Northwind");
});

test("owners to choose from are accounts that the user may edit", async () => {
  const asked: string[] = [];
  await openReports("/location/reports/new", {
    "GET /api/account": (_body, query) => {
      asked.push(query.get("choice") ?? "");
      return listResponse([me]);
    },
  });
  await page.getByRole("combobox", { name: "Owner" }).click();
  await expect.poll(() => asked).toContain("adopt");
});

const id = reportOf()._id;

test("an edit sends only what changed, and shows who has not confirmed", async () => {
  const put = vi.fn((_body: unknown) => ({ status: 200, body: reportOf({ version: 2 }) }));
  await openReports(`/location/reports/${id}`, {
    [`GET /api/report/${id}`]: { status: 200, body: reportOf() },
    [`PUT /api/report/${id}`]: (body) => put(body),
  });
  await expect.element(page.getByText("boss@example.org has not confirmed yet")).toBeVisible();
  await page.getByLabelText("At", { exact: true }).fill("08:30");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect
    .poll(() => put.mock.calls[0]?.[0])
    .toEqual({ schedule: { every: "week", on: "mo", at: "08:30", zone: "Europe/Berlin" } });
});

test("the grouping says what the PDF and the files then list", async () => {
  const put = vi.fn((_body: unknown) => ({ status: 200, body: reportOf({ version: 2, groupBy: "tag" }) }));
  await openReports(`/location/reports/${id}`, {
    [`GET /api/report/${id}`]: { status: 200, body: reportOf() },
    [`PUT /api/report/${id}`]: (body) => put(body),
  });
  await page.getByRole("combobox", { name: "Group by" }).click();
  await page.getByRole("option", { name: "Tag", exact: true }).click();
  await expect.element(page.getByText(/A location with several tags counts for each of them/)).toBeVisible();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => put.mock.calls[0]?.[0]).toEqual({ groupBy: "tag" });
});

test("runs show state, refused addresses, missing counts and files; Send now makes one", async () => {
  const send = vi.fn(() => ({ status: 200, body: { _id: "0190a000-0000-7000-8000-000000000009" } }));
  const run = {
    _id: "0190a000-0000-7000-8000-000000000008",
    at: "2026-11-23T06:00:00.000Z",
    isManual: false,
    state: "done",
    reason: null,
    finishedAt: "2026-11-23T06:00:04.000Z",
    first: "2026-11-16",
    last: "2026-11-22",
    locations: 4,
    missing: 1,
    deliveries: [
      { email: "me@example.com", state: "sent", reason: null },
      { email: "gone@example.org", state: "refused", reason: "550 no such mailbox" },
    ],
    files: [{ format: "pdf", name: "Numbers.pdf", size: 1000 }],
  };
  await openReports(`/location/reports/${id}#runs`, {
    [`GET /api/report/${id}`]: { status: 200, body: reportOf() },
    [`GET /api/report/${id}/runs`]: { status: 200, body: { objects: [run] } },
    [`POST /api/report/${id}/send`]: () => send(),
  });
  await expect.element(page.getByText("sent to 1 recipient, 1 refused")).toBeVisible();
  await expect.element(page.getByText("gone@example.org: 550 no such mailbox")).toBeVisible();
  await expect.element(page.getByText("Counts of 1 sensor were still missing.")).toBeVisible();
  await expect
    .element(page.getByRole("link", { name: "PDF of 2026-11-16 – 2026-11-22" }))
    .toHaveAttribute("href", `/api/report/${id}/runs/${run._id}/files/pdf`);
  await expect
    .element(page.getByRole("link", { name: "Preview PDF" }))
    .toHaveAttribute("href", `/api/report/${id}/preview`);
  await page.getByRole("button", { name: "Send now", exact: true }).click();
  await expect.poll(() => send.mock.calls.length).toBe(1);
});

test("the mailed link confirms only when the button is pressed", async () => {
  const asked = { email: "boss@example.org", about: "report", name: "Numbers", purpose: "confirm", enabled: true };
  const confirm = vi.fn(() => ({ status: 200, body: { ...asked, confirmed: true } }));
  await openConsole("/unsubscribe?token=report-confirm.a.b.c", {
    "GET /api/auth/user": { status: 401, body: { error: "Not signed in", code: 106 } },
    "GET /api/report/unsubscribe": { status: 200, body: { ...asked, confirmed: false } },
    "POST /api/report/confirm": () => confirm(),
  });
  await expect.element(page.getByText(/will be sent to boss@example\.org once you confirm/)).toBeVisible();
  expect(confirm).not.toHaveBeenCalled();
  await page.getByRole("button", { name: "Confirm", exact: true }).click();
  await expect.element(page.getByText("Confirmed. boss@example.org gets the report “Numbers”.")).toBeVisible();
});
