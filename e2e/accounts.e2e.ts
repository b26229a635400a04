// Tests finding, creating, changing and deleting accounts, individually and in batches.

import { openFilters } from "./filters.ts";
import { mailsTo } from "./mails.ts";
import { pick } from "./pick.ts";
import { type Api, anotherBrowser, expect, forgetSession, newName, personas, test, typeLogin } from "./world.ts";

type Account = {
  _id: string;
  name: string;
  role: { _id: string; name: string } | null;
  credentials: { email: string }[];
};
const password = "violet-harbour-lantern";
const newEmail = () => `${Math.random().toString(36).slice(2, 10)}@e2e.example.com`;

async function accountNamed(api: Api, name: string): Promise<Account> {
  const found = await api.get<Account[]>(`/api/account?name=${encodeURIComponent(name)}`);
  const account = found.find((one) => one.name === name);
  if (account === undefined) throw new Error(`No account ${name}`);
  return account;
}

async function roleNamed(api: Api, name: string): Promise<string> {
  const [role] = await api.get<{ _id: string }[]>(`/api/role?name=${encodeURIComponent(name)}`);
  if (role === undefined) throw new Error(`No role ${name}`);
  return role._id;
}

async function plant(api: Api, names: readonly string[], role = "Branch manager"): Promise<Account[]> {
  const id = await roleNamed(api, role);
  const made: Account[] = [];
  for (const name of names) made.push(await api.post<Account>("/api/account", { name, role: id, email: newEmail() }));
  return made;
}

test("AC-01 AC-06 filters are in the URL and shown as chips; Clear all and 'Show all accounts' remove them", async ({
  page,
  apiAs,
  signIn,
}) => {
  const api = await apiAs("operator");
  await signIn(page, "operator");
  await page.goto("/account?viewType=list");
  await page.getByRole("textbox", { name: "Search by name" }).fill("cedar");
  await expect(page).toHaveURL("/account?viewType=list&name=cedar");
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("textbox", { name: "Search by name" }).fill("");
  await openFilters(page);
  await page.getByRole("textbox", { name: "Search by email" }).fill(personas.noLicense.email.slice(0, 9));
  await expect(page).toHaveURL(
    `/account?viewType=list&email=${encodeURIComponent(personas.noLicense.email.slice(0, 9))}`,
  );
  await expect(page.getByRole("cell", { name: `${personas.noLicense.account} Offline` })).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("button", { name: /^Remove filter Email/ }).click();
  const role = page.getByRole("combobox", { name: "Role", exact: true });
  await role.fill("Branch");
  await expect(page.getByRole("option", { name: /Branch manager/ })).toContainText(
    `owned by ${personas.operator.account}`,
  );
  await pick(role, "Branch", "Branch manager");
  await expect(page).toHaveURL(`/account?viewType=list&roleID=${await roleNamed(api, "Branch manager")}`);
  await expect(page.getByRole("cell", { name: `${personas.customerChild.account} Offline` })).toBeVisible();
  await page.getByLabel("State").click();
  await page.getByRole("option", { name: "Rejected" }).click();
  await expect(page).toHaveURL(/accountState=-2/);
  await expect(page.getByText("No accounts found", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Show all accounts" }).click();
  await expect(page).toHaveURL("/account?viewType=list");
  await page.goto("/account?viewType=list&name=cedar&accountState=2");
  await page.getByRole("button", { name: "Clear all" }).first().click();
  await expect(page).toHaveURL("/account?viewType=list");
  // Filtering returns to the first page. The URL omits the default view.
  await page.goto("/account?viewType=list&skip=10");
  const second = await api.get<Account[]>("/api/account?limit=10&skip=10&sortBy=name&sortBy=role");
  await expect(page.getByRole("row")).toHaveCount(1 + second.length);
  await expect(page.getByRole("row").nth(1)).toContainText(second[0]?.name ?? "-");
  await page.getByRole("textbox", { name: "Search by name" }).fill("cedar");
  await expect(page).toHaveURL("/account?viewType=list&name=cedar");
  await page.getByRole("button", { name: "Tree view" }).click();
  await expect(page).toHaveURL("/account?name=cedar");
});

test(
  "AC-02 the tree is the default, opens by keyboard and leads to the edit dialog",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "operator");
    await page.goto("/account");
    const tree = page.getByRole("tree", { name: "Accounts" });
    const top = tree.getByRole("treeitem", { name: new RegExp(`^${personas.operator.account}`) });
    await expect(top).toHaveAttribute("aria-expanded", "true");
    const harbour = tree.getByRole("treeitem", { name: /^Harbour Stores\s*(Online|Offline)\s*Customer administrator/ });
    await expect(harbour).toHaveAttribute("aria-expanded", "true");
    await expect(tree.getByRole("treeitem", { name: /^Alder Books/ })).not.toHaveAttribute("aria-expanded");
    await top.focus();
    await page.keyboard.press("ArrowDown");
    await expect(tree.getByRole("treeitem", { name: /^Alder Books/ })).toBeFocused();
    await harbour.focus();
    const branch = tree.getByRole("treeitem", { name: /^Harbour Stores Old Town\s*(Online|Offline)\s*Branch manager/ });
    await expect(branch).toBeVisible();
    await expect(branch).toHaveAttribute("aria-level", "3");
    await page.keyboard.press("ArrowRight");
    await expect(tree.getByRole("treeitem", { name: /^Harbour Stores Audit/ })).toBeFocused();
    await page.keyboard.press("ArrowLeft");
    await expect(harbour).toBeFocused();
    await page.keyboard.press("ArrowLeft");
    await expect(branch).toHaveCount(0);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Harbour Stores" })).toBeVisible();
    await page.getByRole("button", { name: "Close" }).click();
    await expect(page).toHaveURL("/account");
    await page.getByRole("textbox", { name: "Search by name" }).fill("old town");
    await expect(branch).toBeVisible();
    await expect(tree.getByRole("treeitem")).toHaveCount(3);
  },
);

test(
  "AC-02 the list sorts by several columns and has pages that can be named",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("operator");
    await signIn(page, "operator");
    await page.goto("/account");
    await page.getByRole("button", { name: "List view" }).click();
    await expect(page).toHaveURL("/account?viewType=list");
    const names = async () => page.getByRole("row").locator("td:nth-child(2)").allTextContents();
    const wanted = async (query: string) =>
      (await api.get<Account[]>(`/api/account?limit=10&${query}`)).map(({ name }) => name);
    const shows = async (query: string) => {
      const expected = await wanted(query);
      await expect
        .poll(async () => (await names()).map((text) => text.replace(/(Online|Offline)$/, "")))
        .toEqual(expected);
    };
    await shows("sortBy=name&sortBy=role");
    await page.getByRole("button", { name: "Role", exact: true }).click();
    // Role was the secondary sort key, ascending. The click makes it the only key and reverses its order.
    await shows("sortBy=-role");
    await page.getByRole("button", { name: "Name", exact: true }).click({ modifiers: ["Shift"] });
    await expect(page).toHaveURL(/sortBy=role&sortBy=name&sortDesc=true&sortDesc=false/);
    await shows("sortBy=-role&sortBy=name");
    await page.getByLabel("Go to page").fill("2");
    await page.getByLabel("Go to page").press("Enter");
    await expect(page).toHaveURL(/skip=10/);
    await shows("sortBy=-role&sortBy=name&skip=10");
  },
);

test(
  "AC-03 rows have the buttons that are permitted, and a click on a row opens it",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "operator");
    await page.goto("/account?viewType=list&name=Juniper");
    const row = page.getByRole("row", { name: /Juniper Malls/ });
    await row.hover();
    await row.getByRole("button", { name: "Edit Juniper Malls" }).click();
    await expect(page.getByRole("dialog", { name: "Juniper Malls" })).toBeVisible();
    await page.getByRole("button", { name: "Close" }).click();
    await expect(page).toHaveURL("/account?viewType=list&name=Juniper");
    await row.getByText("Juniper Malls").click();
    await expect(page.getByRole("dialog", { name: "Juniper Malls" })).toBeVisible();

    await forgetSession(page);
    await signIn(page, "readonly");
    await page.goto("/account?viewType=list");
    // The user's presence appears once the live connection is established.
    await expect(
      page.getByRole("cell", { name: new RegExp(`^${personas.readonly.account} (Offline|Online)$`) }),
    ).toBeVisible();
    await expect(page.getByRole("button", { name: /^(Edit|Delete|Review) / })).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Add account" })).toHaveCount(0);
  },
);

test(
  "AC-05 own ancestors are hidden, and a role that is gone says so",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const readonly = await apiAs("readonly");
    expect((await readonly.get<Account[]>("/api/account")).map(({ name }) => name)).toContain("Harbour Stores");
    await signIn(page, "readonly");
    for (const address of ["/account?viewType=list", "/account", "/account?name=Harbour"]) {
      await page.goto(address);
      await expect(page.getByText(personas.readonly.account, { exact: true }).last()).toBeVisible();
      await expect(page.getByText("Harbour Stores", { exact: true })).toHaveCount(0);
    }

    const api = await apiAs("operator");
    const me = await api.get<Account>("/api/auth/user");
    const role = await api.post<{ _id: string }>("/api/role", { name: newName("Short-lived"), owner: me._id });
    const name = newName("Roleless");
    await api.post("/api/account", { name, role: role._id, email: newEmail() });
    await api.remove(`/api/role/${role._id}`);
    await forgetSession(page);
    await signIn(page, "operator");
    await page.goto(`/account?viewType=list&name=${encodeURIComponent(name)}`);
    await page.getByRole("cell", { name: "-", exact: true }).getByText("-", { exact: true }).last().hover();
    await expect(page.getByText("This role is either deleted or you don't have access to it")).toBeVisible();
  },
);

test(
  "AC-08 an account is created with an invitation by mail; the form and refusals say what is wrong",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    await signIn(page, "customer");
    await page.goto("/account");
    await page.getByRole("button", { name: "Add account" }).click();
    await page.getByRole("menuitem", { name: "Create account manually" }).click();
    await expect(page).toHaveURL("/account/new");
    const dialog = page.getByRole("dialog", { name: "New Account" });
    await dialog.getByRole("button", { name: "Create" }).click();
    for (const sentence of ["The name is required", "The role is required", "The email is required"])
      await expect(dialog.getByText(sentence)).toBeVisible();
    const name = newName("Kiosk");
    const email = newEmail();
    await dialog.getByLabel("Name").fill(`  ${name} `);
    await dialog.getByLabel("Email").fill("someone");
    await pick(dialog.getByRole("combobox", { name: "Role" }), "Branch", "Branch manager");
    await expect(dialog.getByText("Invalid email")).toBeVisible();
    await dialog.getByLabel("Email").fill(email);
    await dialog.getByRole("button", { name: "Create" }).click();
    await expect(page).toHaveURL("/account");
    const made = await accountNamed(api, name);
    expect(made.role?.name).toBe("Branch manager");
    await expect(
      page.getByRole("treeitem", { name: new RegExp(`^${name}\\s*Offline\\s*Branch manager`) }),
    ).toBeVisible();
    await expect.poll(async () => (await mailsTo(email)).length).toBe(1);

    await forgetSession(page);
    await signIn(page, "customerChild");
    await page.goto("/account/new");
    await expect(page.getByRole("alert")).toContainText("Failed to create new account.");
    await expect(page).toHaveURL("/account");
  },
);

test(
  "AC-10 AC-11 edits of name, role and credentials are validated, and only changes are sent",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, browser }) => {
    const api = await apiAs("operator");
    const account = await accountNamed(api, "Quarry Fitness");
    await signIn(page, "operator");
    await page.goto(`/account/${account._id}`);
    const dialog = page.getByRole("dialog", { name: "Quarry Fitness" });
    await dialog.getByRole("button", { name: "Add Credentials" }).click();
    const added = dialog.getByRole("group", { name: "New credentials 1" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(added.getByText("The email is required")).toBeVisible();
    await expect(added.getByText("The password is required")).toBeVisible();
    const email = newEmail();
    await added.getByLabel("Email").fill(email);
    await added.getByRole("textbox", { name: "Password", exact: true }).fill("short");
    await added.getByRole("textbox", { name: "Confirm Password" }).fill("other");
    await expect(added.getByRole("list", { name: "Password requirements" })).toContainText("At least 15 characters");
    await expect(added.getByText("The password doesn't fulfill all requirements")).toBeVisible();
    await expect(added.getByText("Password does not match")).toBeVisible();
    await added.getByRole("textbox", { name: "Password", exact: true }).fill(password);
    await added.getByRole("textbox", { name: "Confirm Password" }).fill(password);
    await dialog.getByLabel("Name").fill("Quarry Fitness Clubs");
    const sent = page.waitForRequest(
      (request) => request.method() === "PUT" && request.url().includes("/api/account/"),
    );
    await dialog.getByRole("button", { name: "Save" }).click();
    expect((await sent).postDataJSON()).toEqual({
      name: "Quarry Fitness Clubs",
      credentialChanges: [{ operation: "ADD", email, newPassword: password }],
    });
    await expect(page).toHaveURL("/account");

    // Users see themselves as "(you)" and can't delete their only login.
    const theirs = await anotherBrowser(browser);
    await theirs.goto(`/account/${account._id}`);
    await typeLogin(theirs, email, password);
    const own = theirs.getByRole("dialog", { name: "Quarry Fitness Clubs" });
    await expect(own.getByLabel("Email (you)")).toHaveValue(email);
    await expect(own.getByRole("button", { name: `Delete credentials ${email}` })).toHaveAttribute(
      "aria-disabled",
      "true",
    );
    await theirs.context().close();
    await api.put(`/api/account/${account._id}`, { name: "Quarry Fitness" });

    // An open invitation can't be changed, and a read-only user can't save.
    const [invited] = await plant(api, [newName("Invited")]);
    await page.goto(`/account/${invited?._id}`);
    await expect(page.getByLabel("Email (registration incomplete)")).toBeVisible();
    await expect(page.getByRole("button", { name: "Add Credentials" })).toHaveAttribute("aria-disabled", "true");
    await forgetSession(page);
    await signIn(page, "readonly");
    const reader = await (await apiAs("readonly")).get<Account>("/api/auth/user");
    await page.goto(`/account/${reader._id}`);
    await expect(page.getByRole("dialog", { name: personas.readonly.account })).toBeVisible();
    await expect(page.getByRole("dialog").getByRole("textbox", { name: "Name" })).not.toBeEditable();
    await expect(page.getByRole("button", { name: "Save" })).toHaveCount(0);
  },
);

test(
  "AC-12 an account is deleted; deleting one's own signs out for good",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, browser }) => {
    const api = await apiAs("operator");
    const [gone] = await plant(api, [newName("Gone")]);
    await signIn(page, "operator");
    await page.goto(`/account?viewType=list&name=${encodeURIComponent(gone?.name ?? "")}`);
    await page.getByRole("row", { name: new RegExp(gone?.name ?? "") }).hover();
    await page.getByRole("button", { name: `Delete ${gone?.name}` }).click();
    const asked = page.getByRole("alertdialog", { name: "Delete Account" });
    await expect(asked).toContainText(gone?.name ?? "");
    await asked.getByLabel(`Type ${gone?.name} to confirm`).fill(gone?.name ?? "");
    await asked.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByText("No accounts found", { exact: true })).toBeVisible();
    expect(await api.status(`/api/account/${gone?._id}`)).toBe(404);

    const own = await accountNamed(api, "Tamarind Hotels");
    const email = newEmail();
    await api.put(`/api/account/${own._id}`, {
      credentialChanges: [{ operation: "ADD", email, newPassword: password }],
    });
    const theirs = await anotherBrowser(browser);
    await theirs.goto(`/account/delete/${own._id}`);
    await typeLogin(theirs, email, password);
    const mine = theirs.getByRole("alertdialog", { name: "Delete My Account" });
    await expect(mine).toContainText(
      "You won't be able to login using the credentials assigned to this account anymore.",
    );
    await mine.getByLabel("Type Tamarind Hotels to confirm").fill("Tamarind Hotels");
    await mine.getByRole("button", { name: "Delete" }).click();
    await expect(theirs).toHaveURL(/\/login/);
    await typeLogin(theirs, email, password);
    await expect(theirs.getByText("Email or password is wrong")).toBeVisible();
    await theirs.context().close();
  },
);

test(
  "AC-14 AC-15 roles are set for everything that matches but one, and what can't be deleted is reported",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 403 .*\/api\/account\//);
    const api = await apiAs("operator");
    const stem = newName("Batch");
    const made = await plant(
      api,
      Array.from({ length: 12 }, (_, n) => `${stem} ${String(n).padStart(2, "0")}`),
    );
    await signIn(page, "operator");
    await page.goto(`/account?viewType=list&name=${encodeURIComponent(stem)}`);
    await page.getByRole("checkbox", { name: "Select page" }).click();
    await expect(page.getByText("10 selected")).toBeVisible();
    await page.getByRole("button", { name: "Select all 12" }).click();
    await expect(page.getByText("12 selected")).toBeVisible();
    await expect(page.getByRole("button", { name: /^Select all/ })).toHaveCount(0);
    await page.getByRole("checkbox", { name: `Select ${stem} 03` }).click();
    await expect(page.getByText("11 selected")).toBeVisible();
    await page.getByRole("button", { name: "Set role" }).click();
    const dialog = page.getByRole("dialog", { name: "Set role of 11 accounts" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("No changes specified")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("11 selected")).toBeVisible();
    await page.getByRole("button", { name: "Set role" }).click();
    await pick(dialog.getByRole("combobox", { name: "Role" }), "Customer", "Customer administrator");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("Successfully updated all 11 account(s)!")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    const after = await api.get<Account[]>(`/api/account?name=${encodeURIComponent(stem)}`);
    expect(after.filter(({ role }) => role?.name === "Branch manager").map(({ name }) => name)).toEqual([`${stem} 03`]);

    // Another user has deleted one of the selected accounts.
    await page.getByRole("checkbox", { name: `Select ${stem} 00` }).click();
    await page.getByRole("checkbox", { name: `Select ${stem} 01` }).click();
    await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Delete" }).click();
    await api.remove(`/api/account/${made[1]?._id}`);
    const deleting = page.getByRole("dialog", { name: "Delete 2 accounts" });
    await deleting.getByRole("button", { name: "Delete" }).click();
    await expect(
      deleting.getByText("1 account(s) failed to get deleted! 1 account(s) was/were deleted successfully."),
    ).toBeVisible();
    await deleting.getByRole("button", { name: "Details" }).click();
    await expect(deleting.getByRole("list", { name: "Failures" })).toContainText(/not found/i);
    await deleting.getByRole("button", { name: "Close" }).click();

    await page.goto("/account?viewType=list&name=Harbour+Stores");
    await page.getByRole("checkbox", { name: "Select Harbour Stores", exact: true }).click();
    await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: "Delete" }).click();
    const refused = page.getByRole("dialog", { name: "Delete 1 account" });
    await refused.getByRole("button", { name: "Delete" }).click();
    await expect(refused.getByText("Deletion Failed")).toBeVisible();
    await expect(refused.getByRole("alert")).toContainText(
      /No permission to delete the given entity\. The account has \d+ accounts below it\./,
    );
  },
);

test(
  "AC-16 a person who signs in turns online in the list without reloading",
  { tag: "@prove" },
  async ({ page, signIn, browser }) => {
    await signIn(page, "support");
    await page.goto("/account?viewType=list&name=City+Library");
    const row = page.getByRole("row", { name: /City Library/ });
    await expect(row).toContainText("Offline");
    const theirs = await anotherBrowser(browser);
    await signIn(theirs, "noLicense");
    await theirs.goto("/myaccount");
    await expect(row).toContainText("Online");
    await theirs.context().close();
    await expect(row).toContainText("Offline");
  },
);

test("AC-01 the customer with the worst trouble is two clicks from the dealer's home page", async ({
  page,
  apiAs,
  signIn,
}) => {
  type Health = { name: string; errors: number; warnings: number; offline: number; outdated: number };
  const api = await apiAs("operator");
  await signIn(page, "operator");
  await page.goto("/");
  await page.getByRole("link", { name: "Accounts", exact: true }).click();
  await page.getByRole("button", { name: "Health" }).click();
  await expect(page).toHaveURL("/account?viewType=health");
  const rows = page.getByRole("table", { name: "Customers" }).getByRole("row");
  const { objects } = await api.get<{ objects: Health[] }>("/api/v2/customer?limit=1");
  await expect(rows.nth(1)).toContainText(objects[0]?.name ?? "");
  await page.getByRole("link", { name: "Harbour Stores", exact: true }).click();
  const path = page.getByRole("navigation", { name: "Path to this account" });
  await expect(path).toContainText("Harbour Stores");
  const branch = page.getByRole("link", { name: /sensors? of Harbour Stores Old Town$/ }).last();
  const count = Number((await branch.textContent())?.replaceAll(/\D/g, ""));
  await branch.click();
  await expect(page.getByRole("button", { name: /Remove filter Account with sub-accounts/ })).toBeVisible();
  await expect(page.getByText(new RegExp(`^${count} (of|found)`))).toBeVisible();
});
