// Tests the switch of the dialog "New Account" that says whether the account is for another organization, with stubbed responses.
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount } from "../../testing/objects.ts";

const me = plainAccount({
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  parentAccounts: ["00000000-0000-7000-8000-000000000009"],
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
  country: "Germany",
});
const role = {
  _id: "00000000-0000-7000-8000-000000000005",
  name: "Viewer",
  owner: { _id: me._id, name: me.name, isDeleted: false },
  permissions: {},
  isDeleted: false,
  version: 1,
};
const kiosk = { name: "Kiosk", role: role._id, email: "kiosk@example.com" };

/** Opens the dialog and enters everything but the organization. The server refuses to create the account. */
async function open(user = me) {
  const sent: unknown[] = [];
  await openConsole("/account/new", {
    "GET /api/auth/user": { status: 200, body: { ...user, permissions: fullPermissions, email: "me@example.com" } },
    "GET /api/account": listResponse([user]),
    "GET /api/role": listResponse([role]),
    "POST /api/account": (body) => {
      sent.push(body);
      return { status: 500, body: { code: 101, error: "An internal error occured." } };
    },
  });
  const dialog = page.getByRole("dialog", { name: "New Account" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(kiosk.name);
  await dialog.getByRole("textbox", { name: "Email" }).fill(kiosk.email);
  const create = () => dialog.getByRole("button", { name: "Create" }).click();
  return { dialog, organization: dialog.getByRole("switch", { name: "For another organization" }), create, sent };
}

test("RG-05 the account is for another organization, unless the user says that it is for their own", async () => {
  const { organization, create, sent } = await open();
  await expect.element(organization).toBeChecked();
  await expect
    .element(organization)
    .toHaveAccessibleDescription("The person enters their own organization and address when they register.");
  await organization.click();
  await expect
    .element(organization)
    .toHaveAccessibleDescription("Your organization and address are filled in and can't be changed.");
  await create();
  await expect.poll(() => sent).toEqual([{ ...kiosk, otherOrganization: false }]);
});

test.each([
  ["the root account", { ...me, parentAccounts: [] }],
  ["an account without an address", { ...me, country: null }],
])("RG-05 %s has no organization to share, so the dialog doesn't ask", async (_, user) => {
  const { dialog, create, sent } = await open(user);
  await create();
  await expect.poll(() => sent).toEqual([{ ...kiosk, otherOrganization: true }]);
  expect(dialog.getByRole("switch").elements()).toEqual([]);
});
