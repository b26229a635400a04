// Tests the dialog that invites a colleague with stubbed responses.
import { fullPermissions, type Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { openConsole, type StubbedResponses } from "../testing/console.tsx";
import { listResponse, plainAccount } from "../testing/objects.ts";

const me = plainAccount({
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  parentAccounts: ["00000000-0000-7000-8000-000000000009"],
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
});
const branch = plainAccount({
  _id: "00000000-0000-7000-8000-000000000002",
  name: "Branch",
  parentAccounts: [...me.parentAccounts, me._id],
});
const made = "00000000-0000-7000-8000-000000000003";

async function open(address: string, more: StubbedResponses = {}, permissions: Permissions = fullPermissions) {
  const sent: unknown[] = [];
  const opened = await openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
    "GET /api/account": listResponse([me]),
    "GET /api/role": listResponse([]),
    "POST /api/v2/invitation": (body) => {
      sent.push(body);
      return {
        status: 200,
        body: { account: { _id: made, name: "ada@example.com" }, role: { _id: made, name: "Viewer" } },
      };
    },
    ...more,
  });
  return { ...opened, sent };
}
const dialog = () => page.getByRole("dialog", { name: "Invite a colleague" });
const send = () => dialog().getByRole("button", { name: "Send invitation" }).click();

test("email and level are enough; the confirmation leads to the new account", async () => {
  const { sent, address } = await open("/account/invite");
  await expect.element(dialog().getByText("Your colleague sees everything in your account.")).toBeVisible();
  await send();
  await expect.element(dialog().getByText("The email is required")).toBeVisible();
  await dialog().getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await dialog().getByRole("radio", { name: "Technician" }).click();
  await send();
  const done = page.getByRole("dialog", { name: "Invitation sent" });
  await expect.element(done.getByText(/^An email with a link is on its way to ada@example.com/)).toBeVisible();
  expect(sent).toEqual([{ email: "ada@example.com", access: "technician" }]);
  await expect
    .element(done.getByRole("link", { name: "Open the new account" }))
    .toHaveAttribute("href", `/account/${made}`);
  await done.getByRole("button", { name: "Invite another colleague" }).click();
  await expect.element(dialog().getByRole("textbox", { name: "Email" })).toHaveValue("");
  await dialog().getByRole("button", { name: "Cancel" }).click();
  await expect.poll(address).toBe("/account");
});

test("a sub-account can be chosen instead, and the dialog says what is not included", async () => {
  const { sent } = await open("/account/invite", { "GET /api/account": listResponse([me, branch]) });
  await dialog().getByRole("textbox", { name: "Email" }).fill("ada@example.com");
  await expect
    .element(dialog().getByText("Without sub-accounts: each of those needs its own invitation."))
    .toBeVisible();
  await dialog().getByRole("radio", { name: "One sub-account" }).click();
  await send();
  await expect.element(dialog().getByText("Choose a sub-account")).toBeVisible();
  await dialog().getByRole("combobox", { name: "Sub-account" }).click();
  await page.getByRole("option", { name: "Branch" }).click();
  await send();
  await expect.element(page.getByRole("dialog", { name: "Invitation sent" })).toBeVisible();
  expect(sent).toEqual([{ email: "ada@example.com", access: "viewer", account: branch._id }]);
});

test("an address in use is reported at the field, any other refusal above the form; the input stays", async () => {
  const answers = [
    { status: 409, body: { code: 409, error: "Email is already in use." } },
    { status: 403, body: { code: 300, error: "Not allowed.", details: { reason: "You can't assign roles." } } },
  ];
  await open("/account/invite", { "POST /api/v2/invitation": () => answers.shift() ?? { status: 500 } });
  const email = dialog().getByRole("textbox", { name: "Email" });
  await email.fill("ada@example.com");
  await send();
  await expect.element(email).toHaveAccessibleDescription("This email address already has a login.");
  await email.fill("eve@example.com");
  await expect.element(email).not.toHaveAccessibleDescription("This email address already has a login.");
  await send();
  await expect.element(dialog().getByRole("alert")).toMatchTextContent(/Not allowed. You can't assign roles./);
  await expect.element(email).toHaveValue("eve@example.com");
});

test("levels that the user can't give are disabled with the reason; reduced ones name what is missing", async () => {
  const below = { me: true, myChildren: true };
  const permissions: Permissions = {
    ...fullPermissions,
    other: { canAssignRoles: below },
    ownable: { role: fullPermissions.ownable?.role, sensor: { canViewObject: below, canEditObject: below } },
  };
  await open("/account/invite", {}, permissions);
  await expect.element(dialog().getByRole("radio", { name: "Operator" })).toBeEnabled();
  const technician = dialog().getByRole("radio", { name: "Technician" });
  await expect.element(technician).toBeDisabled();
  await expect.element(technician).toHaveAccessibleDescription("Your own role lacks Owner › Assign sensors.");
  await expect
    .element(dialog().getByText(/^Not included, because your own role lacks: Firmware › View, Location › View/))
    .toBeVisible();
});

test("without the right there is no entry, and the URL explains why", async () => {
  const permissions = { ...fullPermissions, owner: { ...fullPermissions.owner, canCreateOwner: false } };
  const { address } = await open("/account/invite", {}, permissions);
  await expect.element(page.getByText("Your role doesn't allow you to invite colleagues.")).toBeVisible();
  await expect.poll(address).toBe("/account");
});
