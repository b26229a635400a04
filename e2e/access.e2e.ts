// Tests that few clicks are enough to find out why someone can't see an object, and to create a restricted role.

import type { Locator, Page } from "@playwright/test";
import { type Api, expect, newName, test } from "./world.ts";

type Account = { _id: string; name: string; role: { name: string } | null };
type Role = { _id: string; name: string; permissions: { ownable?: Record<string, object> } };
type Access = { rights: Record<string, { allowed: boolean; reason: string }> };

function newcomer() {
  let clicks = 0;
  return {
    click: async (what: Locator) => {
      clicks += 1;
      await what.click();
    },
    clicks: () => clicks,
  };
}

const tab = (page: Page, name: string) => page.getByRole("banner").getByRole("link", { name, exact: true });

async function firstSensor(api: Api, owner?: string): Promise<string> {
  const owned = owner === undefined ? "" : `&ownerID=${owner}`;
  const { objects } = await api.get<{ objects: { _id: string }[] }>(`/api/v2/sensor?limit=1&sortBy=_id${owned}`);
  return objects[0]?._id ?? "";
}

async function accountNamed(api: Api, name: string): Promise<Account> {
  const found = await api.get<Account[]>(`/api/account?name=${encodeURIComponent(name)}`);
  const account = found.find((each) => each.name === name);
  if (account === undefined) throw new Error(`No account ${name}`);
  return account;
}

/** Finds out from the dashboard what an account can do with a sensor. Returns the table of its rights. */
async function askInFourClicks(page: Page, account: string, sensor: string): Promise<Locator> {
  await page.goto("/dashboard");
  const { click, clicks } = newcomer();
  await click(tab(page, "Sensors"));
  await page.getByLabel("Search by ID").first().fill(sensor);
  await click(page.getByRole("table", { name: "Sensors" }).getByText(sensor, { exact: true }));
  const card = page.getByRole("region", { name: "Who can see this?" });
  await click(card.getByRole("combobox", { name: "Account" }));
  await click(page.getByRole("option", { name: account }));
  const answer = card.getByRole("table", { name: `What ${account} can do with ${sensor}` });
  await expect(answer).toBeVisible();
  expect(clicks()).toBeLessThanOrEqual(4);
  return answer;
}

test("PE-01 PE-02 the reason why someone can't see a sensor takes four clicks and has a URL", async ({
  page,
  apiAs,
  signIn,
}) => {
  const api = await apiAs("customer");
  const sensor = await firstSensor(api);
  const branch = await accountNamed(api, "Harbour Stores Old Town");
  await signIn(page, "customer");
  const answer = await askInFourClicks(page, branch.name, sensor);
  const { rights } = await api.get<Access>(`/api/access?account=${branch._id}&type=sensor&id=${sensor}`);
  const view = answer.getByRole("row", { name: /^View/ });
  await expect(view).toContainText(rights["view"]?.allowed === true ? "Yes" : "No");
  await expect(view).toContainText(rights["view"]?.reason ?? "no reason");
  expect(rights["view"]).toEqual({
    allowed: false,
    reason: '"Branch manager" covers only the account. This object belongs to Harbour Stores.',
  });
  await expect(page).toHaveURL(new RegExp(`account=${branch._id}`));
  await page.reload();
  await expect(answer.getByRole("row", { name: /^View/ })).toContainText(rights["view"]?.reason ?? "no reason");
});

test(
  "PE-01 four clicks explain what a colleague whose role reaches the parent account can't see",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const email = `${newName("colleague").replace(" ", ".")}@example.com`;
    const { role } = await api.post<{ role: Role }>("/api/v2/invitation", { email, access: "viewer" });
    const { permissions } = await api.get<Role>(`/api/role/${role._id}`);
    expect(permissions.ownable?.["sensor"]).toMatchObject({ canViewObject: { relativeAncestorLevel: 1 } });
    const branch = await accountNamed(api, "Harbour Stores Old Town");
    await signIn(page, "customer");
    const scope = `"${role.name}" covers the account, its sub-accounts and its parent account.`;
    const theirs = await askInFourClicks(page, email, await firstSensor(api, branch._id));
    const refused = theirs.getByRole("row", { name: /^View No/ });
    await expect(refused).toContainText(
      `${scope} This object belongs to Harbour Stores Old Town, which is none of these.`,
    );
    const { _id: own } = await api.get<Account>("/api/auth/user");
    const ours = await askInFourClicks(page, email, await firstSensor(api, own));
    const allowed = ours.getByRole("row", { name: /^View Yes/ });
    await expect(allowed).toContainText(`${scope} This object belongs to Harbour Stores, the parent account.`);
  },
);

test(
  "PE-01 an account's dialog answers for any object what the account may do with it",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const branch = await accountNamed(api, "Harbour Stores Old Town");
    await signIn(page, "customer");
    await page.goto(`/account/${branch._id}`);
    const dialog = page.getByRole("dialog", { name: branch.name });
    await dialog.getByRole("tab", { name: "Access" }).click();
    await dialog.getByRole("combobox", { name: "Type" }).click();
    await page.getByRole("option", { name: "Account", exact: true }).click();
    await dialog.getByRole("combobox", { name: "Object" }).click();
    await page.getByRole("option", { name: branch.name }).click();
    const answer = dialog.getByRole("table", { name: `What ${branch.name} can do with ${branch.name}` });
    await expect(answer.getByRole("row", { name: /^View/ })).toContainText("This is the account itself.");
    await expect(answer.getByRole("row", { name: /^View/ })).toContainText("Yes");
  },
);

test(
  "RO-02 AC-08 a customer is invited with a new, restricted role in nine clicks from the dashboard",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    await signIn(page, "customer");
    await page.goto("/dashboard");
    const { click, clicks } = newcomer();
    const roleName = newName("Looker");
    const name = newName("Shop");
    await click(tab(page, "Roles"));
    await click(page.getByRole("button", { name: "Create role" }));
    const making = page.getByRole("dialog", { name: "New Role" });
    await making.getByLabel("Name").fill(roleName);
    const owner = making.getByRole("combobox", { name: "Owner" });
    if ((await owner.inputValue()) === "") {
      await click(owner);
      await click(page.getByRole("option", { name: "Harbour Stores", exact: false }).first());
    }
    await click(making.getByRole("radio", { name: "Viewer" }));
    await click(making.getByRole("button", { name: "Create" }));
    const editor = page.getByRole("dialog", { name: roleName });
    await expect(
      editor.getByRole("button", { name: /^Sensor › View: own account and all sub-accounts/ }),
    ).toBeVisible();
    await click(editor.getByRole("button", { name: "Invite with this role" }));
    const inviting = page.getByRole("dialog", { name: "New Account" });
    await expect(inviting.getByRole("combobox", { name: "Role" })).toHaveValue(roleName);
    await inviting.getByLabel("Name").fill(name);
    await inviting.getByLabel("Email").fill(`${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}@example.com`);
    await click(inviting.getByRole("button", { name: "Create" }));
    await expect(page).toHaveURL("/account");
    expect(clicks()).toBeLessThanOrEqual(9);

    expect((await accountNamed(api, name)).role?.name).toBe(roleName);
    const [role] = await api.get<Role[]>(`/api/role?name=${encodeURIComponent(roleName)}`);
    expect(role?.permissions.ownable?.["sensor"]).toEqual({ canViewObject: { me: true, myChildren: true } });
  },
);
