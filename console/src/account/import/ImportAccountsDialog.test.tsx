// Tests the SAP import with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount } from "../../testing/objects.ts";

const below = { me: true, myChildren: true };
const everything: Permissions = {
  other: { canAssignRoles: below },
  ownable: { role: { canViewObject: below } },
  owner: { canCreateOwner: true, canViewOwner: below, canEditOwner: below, canDeleteOwner: below },
};
const lookOnly: Permissions = { owner: { canViewOwner: below }, ownable: { role: { canViewObject: below } } };
const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;
const role = (n: number, permissions: Permissions = {}) => ({
  _id: id(n),
  name: `Role ${n}`,
  owner: { _id: id(1), name: "Northwind", isDeleted: false },
  permissions,
  isDeleted: false,
  version: 1,
});
/** Each test uses another user, because results are kept per user. */
let person = 0;

function open(
  address: string,
  permissions: Permissions,
  roles: object[],
  imports?: (form: FormData) => StubbedResponse,
) {
  const me = plainAccount({
    _id: `00000000-0000-7000-9000-${String((person += 1)).padStart(12, "0")}`,
    name: "Northwind",
    role: { _id: id(7), name: "Role 7", owner: null },
    credentials: [{ email: "a1@example.com" }],
    registrationInfo: [{ stepReached: 2, legal: null, credentials: { email: "a1@example.com" } }],
    parentAccounts: [id(9)],
  });
  const answers: StubbedResponses = {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "a1@example.com" } },
    "GET /api/account": listResponse([]),
    "GET /api/role": listResponse(roles),
    ...(imports ? { "POST /api/import/sap": (sent) => imports(sent as FormData) } : {}),
  };
  return openConsole(address, answers);
}
const toastIn = (screen: Awaited<ReturnType<typeof open>>["screen"]) =>
  screen.getByRole("alert").filter({ hasText: "Failed to create new account." });
const csv = (name = "export.csv", text = "Name;Email\n") => new File([text], name, { type: "text/csv" });
const result = (more: object = {}) => ({ success: 0, irrelevant: 0, error: 0, total: 0, logs: [], ...more });

test("AC-07 the speed dial offers both ways to an account, and both keep the query", async () => {
  const { screen, address } = await open("/account?viewType=list", everything, [role(3)]);
  await screen.getByRole("button", { name: "Add account" }).click();
  await screen.getByRole("menuitem", { name: "Create account manually" }).click();
  await expect.poll(address).toBe("/account/new?viewType=list");
  await screen.getByRole("dialog", { name: "New Account" }).getByRole("button", { name: "Cancel" }).click();
  await expect.poll(address).toBe("/account?viewType=list");
  await screen.getByRole("button", { name: "Add account" }).click();
  await screen.getByRole("menuitem", { name: "Import accounts from csv" }).click();
  await expect.poll(address).toBe("/account/import?viewType=list");
  await screen.getByRole("dialog", { name: "Import accounts" }).getByRole("button", { name: "Cancel" }).click();
  await expect.poll(address).toBe("/account?viewType=list");
});

test("AC-07 who may not make accounts has no speed dial, and the address leads back with the reason", async () => {
  const { screen, address } = await open("/account/import", lookOnly, [role(3)]);
  await expect.element(toastIn(screen).getByText("No permission to create the given entity.")).toBeVisible();
  await expect.poll(address).toBe("/account");
  expect(screen.getByRole("button", { name: "Add account" }).elements()).toEqual([]);
});

test("AC-09 without any role the dialog does not open (5), and 'New role' leads on", { tags: "prove" }, async () => {
  const { screen, address } = await open("/account/import", everything, []);
  const toast = toastIn(screen);
  await expect.element(toast.getByText("You can not create an account because no role exists.")).toBeVisible();
  await expect.poll(address).toBe("/account");
  await toast.getByRole("button", { name: "New role" }).click();
  await expect.poll(address).toBe("/role/new");
});

test("AC-09 without a role to give the dialog does not open (6)", async () => {
  const stronger = role(3, { owner: { canViewOwner: { relativeAncestorLevel: 3 } } });
  const { screen, address } = await open("/account/import", everything, [stronger]);
  const text = "You can not create an account because you have no role to assign to the new account.";
  await expect.element(toastIn(screen).getByText(text)).toBeVisible();
  await expect.poll(address).toBe("/account");
});

test("AC-09 a single role is preselected; file and role are sent, counts and log are shown as text", async () => {
  let sent: FormData | null = null;
  const logs = ["row 2: E-Mail: Invalid email", "row 4: <img src=x onerror=alert(1)>"];
  const { screen } = await open("/account/import", everything, [role(3)], (form) => {
    sent = form;
    return { status: 200, body: result({ success: 1200, irrelevant: 34, error: 2, total: 1236, logs }) };
  });
  const dialog = screen.getByRole("dialog", { name: "Import accounts" });
  await expect.element(dialog.getByRole("combobox", { name: "Role" })).toBeDisabled();
  await expect.element(dialog.getByRole("combobox", { name: "Role" })).toHaveValue("Role 3");
  await expect.element(dialog.getByText("You can't assign any other role.")).toBeVisible();
  await userEvent.upload(dialog.getByLabelText("SAP export csv file"), csv());
  await dialog.getByRole("button", { name: "Import" }).click();
  await expect.element(dialog.getByText("Imported 1,200 accounts")).toBeVisible();
  const form = sent as FormData | null;
  expect(form?.get("role")).toBe(id(3));
  expect(form?.get("file")).toMatchObject({ name: "export.csv" });
  const terms = dialog
    .getByRole("term")
    .elements()
    .map((one) => one.textContent);
  const numbers = dialog
    .getByRole("definition")
    .elements()
    .map((one) => one.textContent);
  expect(Object.fromEntries(terms.map((term, n) => [term, numbers[n]]))).toEqual({
    Success: "1,200",
    Irrelevant: "34",
    Error: "2",
    Total: "1,236",
  });
  const lines = dialog.getByRole("list", { name: "Logs" }).getByRole("listitem");
  expect(lines.elements().map((one) => one.textContent)).toEqual(logs);
  await expect.element(dialog.getByRole("button", { name: "Download log" })).toBeVisible();
});

test(
  "AC-09 a file is needed and only .csv will do; with several roles one must be chosen",
  { tags: "prove" },
  async () => {
    let calls = 0;
    const { screen } = await open("/account/import", everything, [role(3), role(4)], () => {
      calls += 1;
      return { status: 200, body: result() };
    });
    const dialog = screen.getByRole("dialog", { name: "Import accounts" });
    const roles = dialog.getByRole("combobox", { name: "Role" });
    await expect.element(roles).toBeEnabled();
    await dialog.getByRole("button", { name: "Import" }).click();
    await expect.element(dialog.getByText("SAP export csv file is required")).toBeVisible();
    await expect.element(dialog.getByText("The role is required")).toBeVisible();
    const file = dialog.getByLabelText("SAP export csv file");
    await userEvent.upload(file, csv("export.xlsx"));
    await expect.element(dialog.getByText("Only .csv files can be imported")).toBeVisible();
    await roles.click();
    await screen.getByRole("option", { name: /^Role 4/ }).click();
    await dialog.getByRole("button", { name: "Import" }).click();
    expect(calls).toBe(0);
    await userEvent.upload(file, csv("EXPORT.CSV"));
    await expect.element(dialog.getByText("Only .csv files can be imported")).not.toBeInTheDocument();
    await dialog.getByRole("button", { name: "Import" }).click();
    await expect.element(dialog.getByText("No errors.")).toBeVisible();
    expect(calls).toBe(1);
  },
);

test("AC-09 what the server refuses is shown in the dialog, which keeps what was chosen", async () => {
  const { screen } = await open("/account/import", everything, [role(3)], () => ({
    status: 400,
    body: {
      code: 102,
      error: "An invalid argument was given.",
      details: { field: "file", reason: "The first row has no column E-Mail / Email" },
    },
  }));
  const dialog = screen.getByRole("dialog", { name: "Import accounts" });
  const file = dialog.getByLabelText("SAP export csv file");
  await userEvent.upload(file, csv());
  await dialog.getByRole("button", { name: "Import" }).click();
  const text = "An invalid argument was given. The first row has no column E-Mail / Email.";
  await expect.element(dialog.getByText(text)).toBeVisible();
  await expect.element(dialog.getByRole("button", { name: "Import" })).toBeVisible();
});

test(
  "AC-09 an import goes on behind its closed dialog, and what came of it can be looked at",
  { tags: "prove" },
  async () => {
    const { promise: later, resolve: finish } = Promise.withResolvers<StubbedResponse>();
    const { screen, address } = await open("/account/import", everything, [role(3)], () => later as never);
    const dialog = screen.getByRole("dialog", { name: "Import accounts" });
    await userEvent.upload(dialog.getByLabelText("SAP export csv file"), csv());
    await dialog.getByRole("button", { name: "Import" }).click();
    await expect.element(dialog.getByText("Uploading export.csv …")).toBeVisible();
    await expect.element(dialog.getByRole("progressbar")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(address).toBe("/account");
    finish({ status: 200, body: result({ success: 7, total: 7 }) });
    await expect.element(screen.getByText("Imported 7 accounts")).toBeVisible();
    await screen.getByRole("button", { name: "Show result" }).click();
    await expect.element(screen.getByRole("dialog", { name: "Import accounts" }).getByText("No errors.")).toBeVisible();
  },
);
