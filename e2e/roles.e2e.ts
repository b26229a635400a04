// Tests the role list, dialogs, permissions, refusals and batches (RO-01 to RO-05).

import type { Locator, Page } from "@playwright/test";
import { openFilters } from "./filters.ts";
import { pick } from "./pick.ts";
import { type Api, expect, forgetSession, newName, test } from "./world.ts";

type Scope = { me?: boolean; myChildren?: boolean; roles?: string[]; relativeAncestorLevel?: number };
type Rights = { ownable?: Record<string, Record<string, Scope>>; owner?: Record<string, Scope | boolean> };
type RoleReply = { _id: string; name: string; owner: { _id: string; name: string }; permissions: Rights };

async function me(api: Api) {
  return api.get<{ _id: string; name: string; role: { name: string } }>("/api/auth/user");
}

async function accountNamed(api: Api, name: string): Promise<string> {
  const found = await api.get<{ _id: string; name: string }[]>(`/api/account?name=${encodeURIComponent(name)}`);
  const account = found.find((each) => each.name === name);
  if (account === undefined) throw new Error(`No account ${name}`);
  return account._id;
}

async function rolesNamed(api: Api, name: string): Promise<RoleReply[]> {
  return api.get<RoleReply[]>(`/api/role?name=${encodeURIComponent(name)}`);
}

function group(page: Page, tab: string, right: string): Locator {
  return page.getByRole("tabpanel", { name: tab }).getByRole("group", { name: right, exact: true });
}

test(
  "RO-01 the list filters, sorts, pages and excludes the own role",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const self = await me(api);
    const branch = await accountNamed(api, "Harbour Stores Old Town");
    const prefix = newName("Crew");
    for (let n = 10; n < 22; n += 1)
      await api.post("/api/role", { name: `${prefix} ${n}`, owner: n % 2 === 0 ? self._id : branch });
    await signIn(page, "customer");

    await page.goto("/role");
    expect((await rolesNamed(api, self.role.name)).map((role) => role.name)).toContain(self.role.name);
    await page.getByLabel("Search by name").fill(self.role.name);
    await expect(page.getByText("No roles found", { exact: true })).toBeVisible();
    await expect(page.getByText(`No roles found for "${self.role.name}".`)).toBeVisible();
    await page.getByRole("button", { name: "Show all roles" }).click();
    await expect(page).toHaveURL("/role");
    await expect(page.getByRole("cell", { name: "Branch manager", exact: true })).toBeVisible();

    await page.getByLabel("Search by name").fill(prefix);
    const names = page
      .getByRole("table", { name: "Roles" })
      .getByRole("cell", { name: new RegExp(`^${prefix} [0-9]+$`) });
    await expect(names).toHaveText([10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((n) => `${prefix} ${n}`));
    await expect(page.getByRole("columnheader", { name: "Owner" })).toBeVisible();
    await page.getByRole("button", { name: "Page 2", exact: true }).click();
    await expect(page).toHaveURL(/skip=10/);
    await expect(names).toHaveText([20, 21].map((n) => `${prefix} ${n}`));

    await openFilters(page);
    await pick(page.getByRole("combobox", { name: "Owner" }), "Harbour Stores Old Town");
    await expect(names).toHaveText([11, 13, 15, 17, 19, 21].map((n) => `${prefix} ${n}`));
    await expect(page).toHaveURL(/ownerID=/);
    await names.first().click();
    await expect(page.getByRole("dialog", { name: `${prefix} 11` })).toBeVisible();
    await expect(page).toHaveURL(/\/role\/[0-9a-f-]+\?.*ownerID=/);
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await expect(page).toHaveURL(/\/role\?.*ownerID=/);
    await page.getByRole("button", { name: "Clear all" }).first().click();
    await expect(page).toHaveURL("/role");
    await expect(page.getByRole("button", { name: "Create role" })).toBeVisible();
  },
);

test(
  "RO-02 RO-03 a role is created, gets its permissions, says in words what they grant, and is deleted",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    await signIn(page, "customer");
    await page.goto("/role");
    await page.getByRole("button", { name: "Create role" }).click();
    await expect(page).toHaveURL("/role/new");
    const dialog = page.getByRole("dialog", { name: "New Role" });
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(dialog.getByText("The name is required")).toBeVisible();
    await expect(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue("Harbour Stores");
    expect((await dialog.boundingBox())?.width).toBe(500);
    const name = newName("Night shift");
    await dialog.getByLabel("Name").fill(`  ${name} `);
    await pick(dialog.getByRole("combobox", { name: "Owner" }), "Harbour Stores Old Town");
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(page).toHaveURL(/\/role\/[0-9a-f-]{36}$/);
    const [created] = await rolesNamed(api, name);
    expect(created?.name).toBe(name);
    expect(created?.owner.name).toBe("Harbour Stores Old Town");
    expect(created?.permissions).toEqual({ owner: { canViewOwner: { me: true } } });

    const edit = page.getByRole("dialog", { name });
    await expect(edit.getByText("Role", { exact: true }).first()).toBeVisible();
    await expect(edit.getByRole("tablist", { name: "Permission types" }).getByRole("tab")).toHaveText([
      "Owner",
      "Role",
      "Sensor",
      "Location",
      "Firmware",
      "File",
    ]);
    const own = group(page, "Owner", "View").getByRole("switch", { name: "Me" });
    await expect(own).toBeChecked();
    await expect(own).toHaveAttribute("aria-disabled", "true");
    await edit.getByRole("switch", { name: "Create accounts" }).check();
    await edit.getByRole("tab", { name: "Sensor" }).click();
    for (const right of ["View", "Edit", "Delete", "Create for", "Change owner from", "Change owner to"])
      await expect(group(page, "Sensor", right).getByRole("switch")).toHaveCount(2);
    const view = group(page, "Sensor", "View");
    await expect(view.getByText("Not allowed")).toBeVisible();
    await view.getByRole("switch", { name: "Me" }).check();
    await expect(view.getByText("Sees sensors of own account", { exact: true })).toBeVisible();
    await view.getByRole("switch", { name: "My children" }).check();
    await expect(view.getByText("Sees sensors of own account and all sub-accounts")).toBeVisible();
    await edit.getByRole("tab", { name: "Sensor" }).press("ArrowRight");
    await expect(edit.getByRole("tab", { name: "Location" })).toHaveAttribute("aria-selected", "true");
    await group(page, "Location", "Create for").getByRole("switch", { name: "Me" }).check();

    // The preview of an unsaved role must show the same number as the API.
    const preview = edit.getByRole("region", { name: "Effect of this role" });
    await pick(preview.getByLabel("Preview for account"), "Harbour Stores Old Town");
    const oldTown = await accountNamed(api, "Harbour Stores Old Town");
    const { total } = await api.get<{ total: number }>(`/api/v2/sensor?ownerID=${oldTown}&includeTotals=true&limit=1`);
    expect(total).toBeGreaterThan(0);
    await expect(preview.getByRole("status")).toHaveText(
      `Harbour Stores Old Town sees ${total} sensor${total === 1 ? "" : "s"} of 1 account.`,
    );

    await edit.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL("/role");
    expect((await rolesNamed(api, name))[0]?.permissions).toEqual({
      owner: { canCreateOwner: true, canViewOwner: { me: true } },
      ownable: {
        sensor: { canViewObject: { me: true, myChildren: true } },
        measurement: { canCreateObjectFor: { me: true } },
      },
    });

    await page.goto(`/role?name=${encodeURIComponent(name)}`);
    await page.getByRole("row", { name: new RegExp(name) }).hover();
    await page.getByRole("button", { name: `Delete ${name}` }).click();
    await expect(page).toHaveURL(new RegExp(`/role/delete/${created?._id}\\?name=`));
    const sure = page.getByRole("alertdialog", { name: "Delete Role" });
    await expect(sure).toContainText(
      `You are about to delete the role ${name} owned by Harbour Stores Old Town. Are you sure?`,
    );
    await sure.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("No roles found", { exact: true })).toBeVisible();
    expect(await api.status(`/api/role/${created?._id}`)).toBe(404);
  },
);

test(
  "RO-04 rights beyond the editor's own are disabled and refused by the server",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 403 .*\/api\/role\//);
    const api = await apiAs("customerChild");
    const self = await me(api);
    const name = newName("Too much");
    const role = await api.post<RoleReply>("/api/role", { name, owner: self._id });
    await signIn(page, "customerChild");
    await page.goto(`/role/${role._id}`);
    const edit = page.getByRole("dialog", { name });
    await edit.getByRole("tab", { name: "Sensor" }).click();
    const level = group(page, "Sensor", "View").getByLabel("Ancestor level");
    await expect(level).not.toBeEditable();
    await edit.getByRole("tab", { name: "Role" }).click();
    const roleLevel = group(page, "Role", "View").getByLabel("Ancestor level");
    await roleLevel.fill("3");
    await expect(edit.getByText("Your own role covers up to level 1")).toBeVisible();
    await expect(edit.getByRole("button", { name: /^Role › View: .*more than your role$/ })).toBeVisible();
    await expect(
      edit.getByText("You can't give more access than your own role has: Role › View.", { exact: false }),
    ).toBeVisible();
    await edit.getByRole("button", { name: "Save" }).click();
    const toast = page.getByRole("alert").filter({ hasText: "Failed to update role." });
    await expect(toast).toContainText("The role can not have more powerful permissions than your own role.");
    await expect(toast).toContainText("Role › View");
    await expect(edit).toBeVisible();
    expect((await rolesNamed(api, name))[0]?.permissions).toEqual(role.permissions);
    await toast.getByRole("button", { name: "Close" }).click();
    await roleLevel.fill("1");
    await edit.getByRole("button", { name: "Save" }).click();
    await expect(page).toHaveURL("/role");
    expect((await rolesNamed(api, name))[0]?.permissions.ownable?.["role"]).toEqual({
      canViewObject: { relativeAncestorLevel: 1 },
    });
  },
);

test(
  "RO-05 many roles get another owner or are deleted, each refusal with its message",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const self = await me(api);
    const prefix = newName("Batch");
    for (let n = 1; n <= 12; n += 1)
      await api.post("/api/role", { name: `${prefix} ${String(n).padStart(2, "0")}`, owner: self._id });
    await signIn(page, "customer");
    await page.goto(`/role?name=${encodeURIComponent(prefix)}`);
    await page.getByRole("checkbox", { name: `Select ${prefix} 01` }).check();
    await page.getByRole("checkbox", { name: `Select ${prefix} 02` }).check();
    const bar = page.getByRole("toolbar", { name: "Selection" });
    await expect(bar.getByRole("status")).toHaveText("2 selected");
    await bar.getByRole("button", { name: "Set owner" }).click();
    const dialog = page.getByRole("dialog", { name: "Set the owner of 2 roles" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("Saving Failed")).toBeVisible();
    await expect(dialog.getByText("No changes specified")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await bar.getByRole("button", { name: "Set owner" }).click();
    await pick(dialog.getByRole("combobox", { name: "Owner" }), "Harbour Stores Old Town");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("Successfully updated all 2 role(s)!")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    const owners = (await rolesNamed(api, prefix)).filter((role) => role.owner.name === "Harbour Stores Old Town");
    expect(owners.map((role) => role.name).toSorted()).toEqual([`${prefix} 01`, `${prefix} 02`]);

    // Selects all matches on both pages, except for one.
    await bar.getByRole("button", { name: "Select all 12" }).click();
    await page.getByRole("checkbox", { name: `Select ${prefix} 03` }).uncheck();
    await expect(bar.getByRole("status")).toHaveText("11 selected");
    await bar.getByRole("button", { name: "Delete" }).click();
    const sure = page.getByRole("dialog", { name: "Delete 11 roles" });
    await sure.getByRole("textbox", { name: "Type 11 to confirm" }).fill("11");
    await sure.getByRole("button", { name: "Delete" }).click();
    await expect(sure.getByText("Successfully deleted all 11 role(s)!")).toBeVisible();
    await sure.getByRole("button", { name: "Close" }).click();
    await expect(bar).toHaveCount(0);
    expect((await rolesNamed(api, prefix)).map((role) => role.name)).toEqual([`${prefix} 03`]);

    await page.goto("/role?name=a");
    const [theirs] = await rolesNamed(api, "Branch manager");
    await page.goto("/role?name=Branch%20manager");
    await page.getByRole("checkbox", { name: "Select Branch manager" }).check();
    await bar.getByRole("button", { name: "Set owner" }).click();
    const one = page.getByRole("dialog", { name: "Set the owner of 1 role" });
    await pick(one.getByLabel("Owner"), "Harbour Stores Old Town");
    await one.getByRole("button", { name: "Save" }).click();
    const oldTown = await accountNamed(api, "Harbour Stores Old Town");
    await expect(one.getByText("Saving Failed")).toBeVisible();
    await expect(
      one.getByText(`This role ${theirs?._id} can't be assigned to this owner ${oldTown}`).first(),
    ).toBeVisible();
    await one.getByRole("button", { name: "Close" }).click();
    await bar.getByRole("button", { name: "Delete" }).click();
    const denied = page.getByRole("dialog", { name: "Delete 1 role" });
    await denied.getByRole("button", { name: "Delete" }).click();
    await expect(denied.getByText("Deletion Failed")).toBeVisible();
    await expect(denied.getByText("You don't have permission to delete this role").first()).toBeVisible();
    expect(await rolesNamed(api, "Branch manager")).toHaveLength(1);
  },
);

test(
  "RO-01 RO-02 who may only look gets a form without Save, no delete and no create",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const [theirs] = await rolesNamed(api, "Branch manager");
    await signIn(page, "customer");
    await page.goto(`/role/${theirs?._id}`);
    const dialog = page.getByRole("dialog", { name: "Branch manager" });
    await expect(dialog.getByRole("button", { name: "Cancel" })).toBeVisible();
    await expect(dialog.getByRole("button", { name: "Save" })).toHaveCount(0);
    await expect(dialog.getByLabel("Name")).not.toBeEditable();
    await dialog.getByRole("tab", { name: "File" }).click();
    const view = group(page, "File", "View").getByRole("switch", { name: "Me" });
    await expect(view).toHaveAttribute("aria-disabled", "true");
    await expect(view).toHaveAccessibleDescription("You don't have permission to edit this role");
    const before = await view.isChecked();
    await view.click({ force: true });
    expect(await view.isChecked()).toBe(before);
    await page.goto(`/role/delete/${theirs?._id}`);
    await expect(page.getByRole("alert")).toContainText("Failed to delete role.");
    await expect(page.getByRole("alert")).toContainText("You don't have permission to delete this role");
    await expect(page).toHaveURL("/role");

    await forgetSession(page);
    await signIn(page, "readonly");
    await page.goto("/role/new");
    await expect(page.getByRole("alert")).toContainText(
      "You can not create a role because there is no account you can create it for.",
    );
    await expect(page).toHaveURL("/role");
    await expect(page.getByText("Your role doesn't allow you to view roles.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Create role" })).toHaveCount(0);
  },
);
