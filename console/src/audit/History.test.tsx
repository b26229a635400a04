// Tests the history of an object with stubbed responses.
import type { AuditRow } from "@psp/contract/audit/audit.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { applyLiveMessages, queryClient } from "../api/query-client.ts";
import { type StubbedResponses, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainFirmware } from "../testing/objects.ts";

const root = "00000000-0000-4000-8000-000000000001";
const self = plainAccount({ _id: "00000000-0000-4000-8000-000000000002", name: "Self", parentAccounts: [root] });
const child = plainAccount({
  _id: "00000000-0000-4000-8000-000000000003",
  name: "Child",
  parentAccounts: [root, self._id],
});
const firmware = plainFirmware({
  _id: "00000000-0000-4000-8000-00000000000f",
  name: "1.2.0",
  owner: { _id: self._id, name: "Self", isDeleted: false },
});
const below = { me: true, myChildren: true };
const viewer: Permissions = { ownable: { artifact: { canViewObject: below } }, owner: { canViewOwner: below } };
const editor: Permissions = { ...viewer, ownable: { artifact: { canViewObject: below, canEditObject: below } } };

const row = (n: number, facts: Partial<AuditRow>): AuditRow => ({
  _id: `00000000-0000-4000-8000-0000000001${String(n).padStart(2, "0")}`,
  at: "2026-11-23T12:00:00.000Z",
  who: { _id: self._id, name: "Self" },
  requestId: "r",
  action: "update",
  object: { type: "artifact", _id: firmware._id },
  before: { name: `${n}.0.0`, owner: self._id },
  after: { name: `${n + 1}.0.0`, owner: self._id },
  ...facts,
});
const made = row(0, { action: "create", before: null, after: { name: "1.0.0", owner: child._id } });
const refused = row(90, {
  action: "write-refused",
  who: { _id: root, name: "Top" },
  before: null,
  after: { call: "updateFirmware", status: 403, code: 305, error: "No permission to edit the given entity." },
});

function answers(permissions: Permissions, asked: URLSearchParams[], rows: () => AuditRow[]): StubbedResponses {
  return {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions, email: "self@example.com" } },
    "GET /api/account": listResponse([self, child]),
    "GET /api/artifact": listResponse([firmware]),
    [`GET /api/artifact/${firmware._id}`]: { status: 200, body: firmware },
    "GET /api/v2/audit": (_, query) => {
      asked.push(query);
      const skip = Number(query.get("skip"));
      return listResponse(rows().slice(skip, skip + Number(query.get("limit"))), rows().length);
    },
  };
}

test("an entry shows author and changes, the oldest the creation, a refusal its message", async () => {
  const asked: URLSearchParams[] = [];
  const { screen } = await openConsole(
    `/firmware/${firmware._id}#history`,
    answers(editor, asked, () => [refused, row(1, {}), made]),
  );
  const history = screen.getByRole("list", { name: "History" });
  await expect.element(history.getByText("1.0.0 → 2.0.0")).toBeVisible();
  await expect.element(history.getByText("Refused: No permission to edit the given entity.")).toBeVisible();
  await expect.element(history.getByText("Created")).toBeVisible();
  await expect.element(history.getByRole("link", { name: "Child" })).toHaveAttribute("href", `/account/${child._id}`);
  // Objects that may not be viewed are named but not linked.
  expect(history.getByRole("link", { name: "Top" }).elements()).toHaveLength(0);
  expect(asked[0]?.get("objectType")).toBe("artifact");
  expect(asked[0]?.get("withoutRefused")).toBeNull();
});

test("refused tries are not asked for by those who may not edit the object", async () => {
  const asked: URLSearchParams[] = [];
  const { screen } = await openConsole(
    `/firmware/${firmware._id}`,
    answers(viewer, asked, () => [made]),
  );
  await screen.getByRole("tab", { name: "History" }).click();
  await expect.element(screen.getByRole("list", { name: "History" }).getByText("Created")).toBeVisible();
  expect(asked.map((query) => query.get("withoutRefused"))).toEqual(["true"]);
});

test("a long history has pages, and news of the object asks again", { tags: "prove" }, async () => {
  const asked: URLSearchParams[] = [];
  let rows = [...Array.from({ length: 30 }, (_, n) => row(n + 1, {})), made];
  const { screen } = await openConsole(
    `/firmware/${firmware._id}#history`,
    answers(editor, asked, () => rows),
  );
  const history = screen.getByRole("list", { name: "History" });
  await expect.element(screen.getByText("1–25 of 31")).toBeVisible();
  expect(history.getByText("Created").elements()).toHaveLength(0);
  rows = [row(77, {}), ...rows];
  applyLiveMessages(queryClient, [
    { type: "artifact", op: "update", obj: { ...firmware, version: 2 }, seq: 1, cursor: "c1" },
  ]);
  await expect.element(history.getByText("77.0.0 → 78.0.0")).toBeVisible();
  await screen.getByRole("button", { name: "Older" }).click();
  await expect.element(history.getByText("Created")).toBeVisible();
});

test("the export contains all filtered entries, refusals only with the edit right", { tags: "prove" }, async () => {
  for (const permissions of [editor, viewer]) {
    const { screen } = await openConsole(
      `/firmware/${firmware._id}#history`,
      answers(permissions, [], () => [...Array.from({ length: 30 }, (_, n) => row(n + 1, {})), made]),
    );
    const link = screen.getByRole("link", { name: "Download as CSV" });
    await expect.element(link).toBeVisible();
    const asked = () => {
      const { pathname, searchParams } = new URL(link.element().getAttribute("href") ?? "", location.href);
      expect(pathname).toBe("/api/v2/audit/csv");
      return Object.fromEntries(searchParams);
    };
    const whole = {
      objectType: "artifact",
      objectID: firmware._id,
      style: "people",
      separator: "comma",
      ...(permissions === viewer ? { withoutRefused: "true" } : {}),
    };
    expect(asked()).toEqual(whole);
    await screen.getByLabelText("From").fill("2026-11-20");
    await screen.getByLabelText("To", { exact: true }).fill("2026-11-21");
    await screen.getByRole("combobox", { name: "Show" }).click();
    await screen.getByRole("option", { name: "Changes" }).click();
    await expect.poll(asked).toEqual({
      ...whole,
      kind: "change",
      from: new Date("2026-11-20T00:00").toISOString(),
      // The server excludes `to`, so it is the day after the last one.
      to: new Date("2026-11-22T00:00").toISOString(),
    });
    await screen.unmount();
  }
});
