// Tests the page of open issues: its requests and order, work on one issue and in batches, undo, the header's number, and empty lists.
import type { ListedIssue } from "@psp/contract/monitoring/issue.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { openConsole, type StubbedResponses } from "../../testing/console.tsx";
import { listResponse, plainAccount } from "../../testing/objects.ts";
import { issueId, plainDetail, plainIssue } from "../monitoring.testing.ts";

const me = plainAccount({ _id: "00000000-0000-4000-8000-000000000001", name: "Northwind" });
const scope = { me: true, myChildren: true };
const editor: Permissions = { ownable: { sensor: { canViewObject: scope, canEditObject: scope } } };
const login = {
  _id: "00000000-0000-4000-8000-00000000000b",
  email: "ada@example.com",
  account: { _id: me._id, name: me.name },
};
const undoID = "request-7";
const issues: ListedIssue[] = [
  plainIssue(0),
  {
    ...plainIssue(1, { type: "osd", status: "Warning", message: "The lens is covered", sens: "02:00:00:00:7A:02" }),
    assignee: login,
    note: { _id: issueId(9), text: "Ladder ordered", at: "2026-11-20T10:30:00.000Z", by: null },
    notesCount: 2,
  },
];

type Given = { address?: string; listed?: ListedIssue[]; rights?: Permissions; more?: StubbedResponses };

async function open({ address = "/issues", listed = issues, rights = editor, more = {} }: Given = {}) {
  const asked: URLSearchParams[] = [];
  const sent: unknown[] = [];
  const changed = (success: number) => (body: unknown) => {
    sent.push(body);
    return { status: 200, body: { success, fail: [], undoID } };
  };
  const opened = await openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions: rights, email: "me@example.com" } },
    "GET /api/account": listResponse([me]),
    "GET /api/v2/issue": (_, query) => {
      asked.push(query);
      return listResponse(listed);
    },
    "GET /api/v2/issue/count": { status: 200, body: { errors: 8, warnings: 4, snoozed: 1, changesAt: null } },
    "GET /api/v2/issue/assignees": { status: 200, body: { objects: [login], hasMore: false } },
    [`GET /api/v2/issue/${issueId(0)}`]: { status: 200, body: plainDetail(issues[0] ?? plainIssue(0)) },
    "PUT /api/v2/issue": (body) => changed((body as { ids?: string[] }).ids?.length ?? 2)(body),
    "PUT /api/v2/issue/undo": (body) => {
      sent.push(body);
      return { status: 200, body: { success: 1, fail: [] } };
    },
    ...more,
  });
  return { ...opened, asked, sent };
}
const row = (text: string | RegExp) => page.getByRole("row", { name: text });
const dialog = page.getByRole("dialog");

test("the list asks for open issues, the worst first, and shows who works on them", async () => {
  const { asked } = await open();
  await expect.element(row(/Offline for 2 days/)).toBeVisible();
  expect([...(asked[0]?.entries() ?? [])]).toEqual(
    expect.arrayContaining([
      ["open", "true"],
      ["sortBy", "severity"],
      ["includeTotals", "true"],
    ]),
  );
  const second = row(/The lens is covered/);
  await expect.element(second.getByText("ada@example.com")).toBeVisible();
  await expect.element(second.getByText("2 notes")).toBeInTheDocument();
  await expect
    .element(second.getByRole("link", { name: "02:00:00:00:7A:02" }))
    .toHaveAttribute("href", "/sensor/02:00:00:00:7A:02");
  await expect
    .element(page.getByRole("banner").getByRole("link", { name: "Issues, 12 open" }))
    .toHaveAttribute("href", "/issues");
});

test("filters are in the URL and removable as chips", async () => {
  const query = "issueStatus=Error&assigneeID=me&olderThan=24h&tag=north&snoozed=true";
  const { asked, address } = await open({ address: `/issues?${query}` });
  await expect.element(row(/Offline for 2 days/)).toBeVisible();
  for (const [name, value] of new URLSearchParams(query)) expect(asked[0]?.getAll(name), name).toEqual([value]);
  const chips = page.getByRole("list", { name: "Active filters" });
  for (const name of [
    "Status: Error",
    "Assigned to: Me",
    "Age: Longer than 24 h",
    "Location tags: north",
    "Snoozed: Snoozed only",
  ])
    await expect.element(chips.getByRole("button", { name: `Remove filter ${name}` })).toBeVisible();
  await chips.getByRole("button", { name: "Clear all" }).click();
  await expect.poll(address).toBe("/issues");
});

test("an issue is assigned with a note, and the change can be undone", async () => {
  const { sent } = await open();
  await row(/Offline for 2 days/)
    .getByRole("button", { name: "Assign: Connection 02:00:00:00:7A:01" })
    .click();
  await dialog.getByRole("combobox", { name: "Assign to" }).click();
  await page.getByRole("option", { name: /ada@example.com/ }).click();
  await dialog.getByLabelText("Note (optional)").fill("Please look");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(sent).toEqual([{ ids: [issueId(0)], changes: { assigneeID: login._id, note: "Please look" } }]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => sent.at(-1)).toEqual({ undoIDs: [undoID] });
  await expect.element(page.getByText("Change undone for 1 issue")).toBeVisible();
});

test("a snooze requires a choice; a batch by query sends the filters as values", async () => {
  const { sent } = await open({ address: "/issues?acknowledged=false&issueType=osd" });
  await page.getByRole("checkbox", { name: /Connection/ }).click();
  await page.getByRole("button", { name: "Snooze", exact: true }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByText("Choose when the snooze ends.")).toBeVisible();
  expect(sent).toEqual([]);
  await dialog.getByRole("radio", { name: "Pick a date" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByText("Choose a date from tomorrow to one year ahead.")).toBeVisible();
  await dialog.getByRole("radio", { name: "In a week, 8:00" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.element(dialog.getByText("Successfully updated all 1 issue(s)!")).toBeVisible();
  expect(sent).toEqual([
    { ids: [issueId(0)], expectedCount: 1, changes: { snoozedUntil: expect.stringMatching(/T\d\d:00:00\.000Z$/) } },
  ]);
});

test("the details show what to do, and notes can be added there", async () => {
  const { sent } = await open({ address: `/issues?issue=${issueId(0)}` });
  await expect.element(dialog.getByText(/^Check power and network/)).toBeVisible();
  await expect
    .element(dialog.getByRole("link", { name: "Open the sensor" }))
    .toHaveAttribute("href", "/sensor/02:00:00:00:7A:01/general");
  await dialog.getByRole("button", { name: "Add note" }).click();
  const form = page.getByRole("dialog", { name: /^Add note/ });
  await form.getByRole("button", { name: "Save" }).click();
  await expect.element(form.getByText("Enter a note.").first()).toBeVisible();
  await form.getByLabelText("Note").fill("Called the shop");
  await form.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => sent).toEqual([{ ids: [issueId(0)], changes: { note: "Called the shop" } }]);
});

test("without issues, nothing needs attention; without the right to view sensors, there is no link", async () => {
  const { screen } = await open({ listed: [] });
  await expect.element(page.getByText("Nothing needs attention")).toBeVisible();
  await screen.unmount();
  await open({ rights: {} });
  await expect.element(page.getByText("No permission to view issues")).toBeVisible();
  expect(
    page
      .getByRole("banner")
      .getByRole("link", { name: /^Issues/ })
      .elements(),
  ).toEqual([]);
});

test("the order is there again the next time", async () => {
  const first = await open();
  await page.getByRole("columnheader", { name: "Since" }).getByRole("button").click();
  await expect.poll(first.address).toBe("/issues?sortBy=since");
  await first.screen.unmount();
  const second = await open();
  await expect.poll(second.address).toBe("/issues?sortBy=since");
  await expect.poll(() => second.asked.at(-1)?.getAll("sortBy")).toEqual(["since"]);
});

test("notes for too many issues are refused before anything is typed; they can still be snoozed", async () => {
  const many = { status: 200, body: { objects: issues, total: 1200 } };
  const { sent } = await open({ address: "/issues?issueType=osd", more: { "GET /api/v2/issue": many } });
  await page.getByRole("checkbox", { name: /Connection/ }).click();
  await page.getByRole("button", { name: "Select all 1,200" }).click();
  await page.getByRole("button", { name: "Add note", exact: true }).click();
  const note = dialog.getByRole("textbox", { name: "Note" });
  await expect.element(note).toBeDisabled();
  await expect.element(note).toHaveAccessibleDescription("A note can be added to at most 1,000 issues at once.");
  await dialog.getByRole("button", { name: "Save" }).click();
  expect(sent).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Snooze", exact: true }).click();
  await dialog.getByRole("radio", { name: "Tomorrow, 8:00" }).click();
  await expect.element(dialog.getByLabelText("Note (optional)")).toBeDisabled();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => sent).toMatchObject([{ query: { issueType: "osd", open: true }, expectedCount: 1200 }]);
});

test("an issue that is resolved meanwhile says so, and the typed note stays", async () => {
  const opened = plainDetail(issues[0] ?? plainIssue(0));
  let shown = opened;
  await open({
    address: `/issues?issue=${issueId(0)}`,
    more: {
      [`GET /api/v2/issue/${issueId(0)}`]: () => ({ status: 200, body: shown }),
      "PUT /api/v2/issue": () => {
        shown = { ...opened, holds: false };
        const details = { reason: "This issue is resolved." };
        return {
          status: 200,
          body: { success: 0, fail: [{ id: issueId(0), errMessage: "Invalid argument!", details }], undoID },
        };
      },
    },
  });
  await dialog.getByRole("button", { name: "Add note" }).click();
  const form = page.getByRole("dialog", { name: /^Add note/ });
  await form.getByLabelText("Note").fill("Called the shop");
  await form.getByRole("button", { name: "Save" }).click();
  const toast = page.getByRole("alert");
  await expect.element(toast).toMatchTextContent(/The issue could not be changed.*This issue is resolved\./);
  await expect.element(toast).not.toMatchTextContent(/Invalid argument/);
  await expect.element(form.getByLabelText("Note")).toHaveValue("Called the shop");
});

test("users who may edit no sensor see why nothing can be changed", async () => {
  await open({ rights: { ownable: { sensor: { canViewObject: scope } } } });
  await expect
    .element(row(/Offline for 2 days/).getByRole("button", { name: /^Assign:/ }))
    .toHaveAttribute("aria-description", "You have no permission to edit sensors.");
});
