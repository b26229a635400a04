// Tests My account: data, sessions, password change and closing (MY-01, AC-11).

import type { Browser, Page } from "@playwright/test";
import { expectMessage } from "./messages.ts";
import { anotherBrowser, type Api, expect, newName, personas, test, typeLogin } from "./world.ts";

const password = "violet-harbour-lantern";
const newPassword = "seven geese over the quay";
const newEmail = () => `${newName("mine").replace(" ", ".")}@example.com`;
type Account = { _id: string; name: string };

/** Adds a separate login, so that no other test is signed out. */
async function loginFor(api: Api, name: string): Promise<{ account: Account; email: string }> {
  const [account] = await api.get<Account[]>(`/api/account?name=${encodeURIComponent(name)}`);
  if (account === undefined) throw new Error(`No account ${name}`);
  const email = newEmail();
  const credentialChanges = [{ operation: "ADD", email, newPassword: password }];
  await api.put(`/api/account/${account._id}`, { credentialChanges });
  return { account, email };
}
async function signedIn(browser: Browser, email: string): Promise<Page> {
  const page = await anotherBrowser(browser);
  await page.goto("/myaccount");
  await typeLogin(page, email, password);
  await expect(page.getByRole("heading", { name: "My account" })).toBeVisible();
  return page;
}

test("MY-01 profile, address, actions and logins; the address change is a mail to the operator", async ({
  page,
  signIn,
}) => {
  await signIn(page, "customer");
  await page.goto("/myaccount");
  await expect(page.getByRole("region", { name: "Profile" })).toContainText(personas.customer.account);
  await expect(page.getByRole("region", { name: "Address" })).toContainText("Phone");
  await expect(page.getByRole("link", { name: "Request address change" })).toHaveAttribute(
    "href",
    /^mailto:info@example\.com\?subject=/,
  );
  const logins = page.getByRole("region", { name: "Login Credentials" });
  await expect(logins).toContainText(`${personas.customer.email} (you)`);
  await logins.getByRole("button", { name: "Registration complete" }).first().hover();
  await expect(page.getByRole("tooltip")).toContainText("Fill out registration form");
  await expect(page.getByRole("tooltip")).toContainText("Confirm email");
  await page.getByRole("link", { name: "Edit your account" }).click();
  await expect(page.getByRole("dialog", { name: personas.customer.account })).toBeVisible();
});

test(
  "MY-01 a session is ended from another browser: there the page leads out within seconds",
  { tag: "@prove" },
  async ({ page, browser, apiAs }) => {
    const api = await apiAs("operator");
    const { email } = await loginFor(api, "Rowan Theatres");
    await page.goto("/myaccount");
    await typeLogin(page, email, password);
    const theirs = await signedIn(browser, email);
    const third = await signedIn(browser, email);
    await page.reload();
    const sessions = page.getByRole("region", { name: "Where you are logged in" });
    await expect(sessions.getByRole("listitem")).toHaveCount(3);
    await expect(sessions.getByRole("listitem").first()).toContainText("Chrome on Linux");
    await expect(sessions.getByText("This device")).toHaveCount(1);
    await sessions.getByRole("button", { name: "Log out Chrome on Linux" }).first().click();
    await expectMessage(page, "Logged out Chrome on Linux");
    await expect(sessions.getByRole("listitem")).toHaveCount(2);
    await sessions.getByRole("button", { name: "Log out all other devices" }).click();
    const sure = page.getByRole("alertdialog", { name: "Log out all other devices" });
    await expect(sure).toContainText("1 other device is logged out at once");
    await sure.getByRole("button", { name: "Log out" }).click();
    await expect(sessions.getByRole("listitem")).toHaveCount(1);
    for (const other of [theirs, third]) {
      await expect(other).toHaveURL(/\/login/);
      await other.context().close();
    }
  },
);

test(
  "AC-11 one's own password changes with the present one only",
  { tag: "@prove" },
  async ({ page, apiAs, browser, provoke }) => {
    provoke(/status of 401 .*\/api\/account\//);
    const api = await apiAs("operator");
    const { account, email } = await loginFor(api, "Pine Hardware");
    const theirs = await signedIn(browser, email);
    await page.goto(`/account/${account._id}`);
    await typeLogin(page, email, password);
    const dialog = page.getByRole("dialog", { name: account.name });
    const own = dialog.getByRole("group", { name: email });
    await own.getByRole("textbox", { name: "Password", exact: true }).fill(newPassword);
    await own.getByRole("textbox", { name: "Confirm Password" }).fill(newPassword);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("The current password is required")).toBeVisible();
    await dialog.getByRole("textbox", { name: "Current Password" }).fill("not my password");
    await dialog.getByRole("button", { name: "Save" }).click();
    const alert = page.getByRole("alert").filter({ hasText: "Failed to update account." });
    await expect(alert).toContainText("Unauthorized access. The current password is wrong.");
    await alert.getByRole("button", { name: "Close" }).click();
    await dialog.getByRole("textbox", { name: "Current Password" }).fill(password);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toHaveCount(0);
    await expect(theirs).toHaveURL(/\/login/);
    await page.goto("/myaccount");
    await expect(page.getByRole("heading", { name: "My account" })).toBeVisible();
    await typeLogin(theirs, email, newPassword);
    await expect(theirs).toHaveURL(/\/myaccount/);
    await theirs.context().close();
  },
);

test(
  "MY-01 closing the account asks, signs out everywhere, and the login is no more",
  { tag: "@prove" },
  async ({ page, apiAs, browser, provoke }) => {
    provoke(/status of 401 .*\/api\/auth\/login$/);
    const api = await apiAs("operator");
    const { account, email } = await loginFor(api, "Saffron Bakeries");
    const theirs = await signedIn(browser, email);
    await page.goto("/myaccount");
    // Waits for the last request after login, because an ended session would refuse it.
    const batches = page.waitForResponse("**/api/v2/sensor/batches");
    await typeLogin(page, email, password);
    await batches;
    await page.getByRole("link", { name: "Close your account" }).click();
    await expect(page).toHaveURL(`/myaccount/delete/${account._id}`);
    const dialog = page.getByRole("alertdialog", { name: "Close Account" });
    await expect(dialog).toContainText(
      `You are about to close your account with the name ${account.name}. This would make all of the credentials invalid. Are you sure?`,
    );
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(page).toHaveURL("/myaccount");
    await page.getByRole("link", { name: "Close your account" }).click();
    await dialog.getByLabel(`Type ${account.name} to confirm`).fill(account.name);
    await dialog.getByRole("button", { name: "Close account" }).click();
    await expect(page).toHaveURL("/login");
    await expect(theirs).toHaveURL(/\/login/);
    await theirs.context().close();
    await typeLogin(page, email, password);
    await expect(page.getByRole("alert")).toHaveText("Email or password is wrong");
  },
);

test(
  "the feed URL works without login until it is revoked",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, request }) => {
    // Removes a token that another test may have created.
    await (await apiAs("customer")).remove("/api/auth/feed-token");
    await signIn(page, "customer");
    await page.goto("/myaccount");
    const card = page.getByRole("region", { name: "GTFS-Realtime feed" });
    await card.getByRole("button", { name: "Create feed link" }).click();
    const shown = await card.getByRole("textbox", { name: "Feed link" }).inputValue();
    const { pathname, search } = new URL(shown);
    const poll = () => request.get(new URL(pathname + search, page.url()).href);
    const feed = await poll();
    expect(feed.status()).toBe(200);
    expect(feed.headers()["content-type"]).toBe("application/x-protobuf");
    await page.reload();
    await expect(card.getByText("Feed link created")).toBeVisible();
    await expect(card.getByRole("textbox")).toHaveCount(0);
    await card.getByRole("button", { name: "Revoke feed link" }).click();
    await page
      .getByRole("alertdialog", { name: "Revoke feed link" })
      .getByRole("button", { name: "Revoke feed link" })
      .click();
    await expectMessage(page, "Feed link revoked");
    await expect(card.getByText("You don't have a feed link yet.")).toBeVisible();
    expect((await poll()).status()).toBe(401);
  },
);
