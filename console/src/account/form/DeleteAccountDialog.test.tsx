// Tests deleting an account with stubbed responses, including the hand-over of its sensors and locations (AC-12).
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { openConsole } from "../../testing/console.tsx";
import { plainAccount } from "../../testing/objects.ts";

const below = { me: true, myChildren: true };
const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;
const me = plainAccount({
  _id: id(1),
  name: "Northwind",
  parentAccounts: [id(9)],
  role: { _id: id(7), name: "Boss", owner: null },
});
const settled = plainAccount({
  _id: id(3),
  name: "Settled",
  parentAccounts: [id(9), id(1)],
  credentials: [{ email: "a3@example.com" }],
});

test("AC-12 deleting says what becomes of things and logins, and hands them over first if asked to", async () => {
  const giving: Permissions = {
    other: { canAssignSensors: below },
    owner: { canViewOwner: below, canDeleteOwner: below },
    ownable: Object.fromEntries(
      (["sensor", "measurement", "artifact", "role"] as const).map((type) => [
        type,
        { canViewObject: below, canEditObject: below, canChangeOwner: { from: below, to: below } },
      ]),
    ),
  };
  const sent: unknown[] = [];
  const counted = (total: number) => (_: unknown, query: URLSearchParams) => ({
    status: 200,
    body: { objects: [], total: query.get("ownerID") === settled._id ? total : 99 },
  });
  const batch = (fail: object[]) => (body: unknown) => {
    sent.push(body);
    return { status: 200, body: { success: 1, fail } };
  };
  const refused = { id: "00:1E:C0:00:00:01", errMessage: "No permission.", details: { reason: "The owner said no." } };
  let fail: object[] = [refused];
  const { screen, address } = await openConsole(`/account/delete/${settled._id}`, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions: giving, email: "a1@example.com" } },
    [`GET /api/account/${settled._id}`]: { status: 200, body: settled },
    "GET /api/account": (_: unknown, query: URLSearchParams) =>
      query.has("parentID")
        ? { status: 200, body: { objects: [], total: 0 } }
        : { status: 200, body: { objects: [me], total: 1 } },
    "GET /api/v2/sensor": counted(12),
    "GET /api/v2/measurement": counted(1),
    "GET /api/artifact": counted(0),
    "GET /api/role": counted(2),
    "PUT /api/v2/measurement/batch-update": batch([]),
    "PUT /api/v2/sensor/batch-update": (body: unknown) => batch(fail)(body),
    [`DELETE /api/account/${settled._id}`]: () => ({ status: 200, body: { _id: sent.push("delete") && settled._id } }),
  });
  const dialog = screen.getByRole("alertdialog", { name: "Delete Account" });
  const lines = () =>
    dialog
      .getByRole("list", { name: "What happens to the account's contents" })
      .getByRole("listitem")
      .elements()
      .map((line) => line.textContent);
  await expect
    .poll(lines)
    .toEqual([
      "12 sensors stay with the closed account and keep counting. Only its parent accounts can see and manage them.",
      "1 location stays with the closed account, with all counts. Only its parent accounts can see and manage them.",
      "2 roles stay with the closed account.",
      "1 login stops working. Its email address can be used for another account.",
      "No sub-accounts.",
    ]);
  await dialog.getByRole("combobox", { name: "New owner of sensors and locations" }).click();
  await screen.getByRole("option", { name: /Northwind/ }).click();
  await expect
    .poll(() => lines().slice(0, 2))
    .toEqual(["12 sensors go to the new owner.", "1 location goes to the new owner, with all counts."]);
  await dialog.getByLabelText("Type Settled to confirm").fill("Settled");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  const alert = screen.getByRole("alert");
  await expect
    .element(alert.getByText("1 sensor could not be handed over, so the account was not closed. The owner said no."))
    .toBeVisible();
  expect(sent).not.toContain("delete");
  fail = [];
  sent.length = 0;
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await expect.poll(address).toBe("/account");
  expect(sent).toEqual([
    { measQuery: { ownerID: [settled._id] }, expectedCount: 1, changes: { owner: me._id } },
    { sensorQuery: { ownerID: [settled._id] }, expectedCount: 12, changes: { owner: me._id } },
    "delete",
  ]);
});
