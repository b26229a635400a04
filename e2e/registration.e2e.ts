// Tests registration with real mails, by invitation and by sign-up with review, on desktop and phone (RG-01 to RG-06).

import type { Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { mailsTo } from "./mails.ts";
import { pick } from "./pick.ts";
import { type Api, anotherBrowser, expect, newName, personas, test, typeLogin } from "./world.ts";

const password = "seven geese over the quay";
const sizes = [
  { name: "desk", size: { width: 1280, height: 900 }, scheme: "light" },
  { name: "phone", size: { width: 390, height: 780 }, scheme: "dark" },
] as const;
const newEmail = () => `${newName("registrant").replace(" ", ".")}@example.com`;

/** Text and link of the n-th mail to an address. */
async function mailTo(address: string, n = 1): Promise<{ text: string; link: string }> {
  let text = "";
  const find = async () => (text = (await mailsTo(address))[n - 1] ?? "");
  await expect.poll(find).not.toBe("");
  return { text, link: /^https?:\S+\/account\/\S+/m.exec(text)?.[0] ?? "" };
}

async function roleNamed(api: Api, name: string): Promise<string> {
  const [role] = await api.get<{ _id: string }[]>(`/api/role?name=${encodeURIComponent(name)}`);
  return role?._id ?? "";
}

async function invite(api: Api, email: string): Promise<string> {
  const role = await roleNamed(api, "Branch manager");
  await api.post("/api/account", { name: newName("Invited"), role, email, otherOrganization: true });
  const { link } = await mailTo(email);
  return link;
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

async function fillForm(page: Page, more: Record<string, string> = {}): Promise<void> {
  const values = {
    "First Name": "Anne-Marie",
    "Family Name": "O'Brien",
    Department: "Store planning",
    "Phone Number": "+49 6172 5550",
    Street: "Louisenstraße",
    "Street Number": "7 a",
    "Postal Code": "61348",
    City: "Bad Homburg",
    Country: "Germany",
    Password: password,
    "Confirm Password": password,
    ...more,
  };
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value);
  for (const name of [/Data Processing Agreement/, /End User License Agreement/]) {
    // On a busy machine, the form shows the tick a moment after the press, which `check` reports as a failure.
    await page.getByRole("checkbox", { name }).click();
    await expect(page.getByRole("checkbox", { name })).toBeChecked();
  }
}

async function login(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: "To Login Page" }).click();
  await expect(page).toHaveURL("/login");
  await typeLogin(page, email, password);
}

for (const { name, size, scheme } of sizes) {
  test(
    `RG-01 RG-02 RG-05 RG-06 an invitation becomes a login, and its links work once: ${name}`,
    { tag: name === "phone" ? "@prove" : [] },
    async ({ page, apiAs, browser, provoke }) => {
      provoke(/status of 400 .*\/verify\/\S+$/);
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      const email = newEmail();
      const link = await invite(await apiAs("operator"), email);
      await page.goto(link);
      await expect(heading(page)).toHaveText("Thank you for your purchase!");
      await expect(page.getByRole("banner")).toHaveCount(0);
      await expect(field(page, "Organization")).toHaveValue(/^Invited /);
      await expect(field(page, "Email")).toHaveCount(0);
      await expect(field(page, "Supplier")).toHaveCount(0);
      await page.getByRole("button", { name: "Register" }).click();
      await expect(page.getByText("First name is required")).toBeVisible();
      await expect(page.getByText("Please tick the checkbox")).toHaveCount(2);
      expect(await findPageFaults(page)).toEqual([]);
      await fillForm(page, { Password: "short", "Confirm Password": "short" });
      await page.getByRole("button", { name: "Register" }).click();
      await expect(page.getByText("The password doesn't fulfill all requirements")).toBeVisible();

      // The agreement opens in a new tab. A reload loses only the passwords.
      const [beside] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: /^Data Processing Agreement/ }).click(),
      ]);
      await expect(beside.getByText("Version 2.00, published 01.06.2024").last()).toBeVisible();
      await beside.close();
      await expect(field(page, "City")).toHaveValue("Bad Homburg");
      await page.reload();
      await expect(field(page, "City")).toHaveValue("Bad Homburg");
      await expect(field(page, "Password")).toHaveValue("");
      await fillForm(page);
      await page.getByRole("button", { name: "Register" }).click();
      await expect(
        page.getByText("We sent a verification email to the address that received your invitation."),
      ).toBeVisible();
      await page.goto(link);
      await expect(heading(page)).toHaveText("Please confirm your email address");
      expect(await findPageFaults(page)).toEqual([]);

      const { link: verify } = await mailTo(email, 2);
      expect(verify.startsWith(`${link}/verify/`)).toBe(true);
      await page.goto(`${verify.slice(0, -1)}${verify.endsWith("A") ? "B" : "A"}`);
      await expect(page.getByRole("alert")).toHaveText(
        "Email verification failed. This link is no longer valid. Use the link in the latest email we sent you.",
      );
      expect(await findPageFaults(page)).toEqual([]);
      // Opening the link must have no effect.
      for (let visit = 0; visit < 2; visit += 1) {
        await page.goto(verify);
        await expect(page.getByText(email, { exact: true })).toBeVisible();
        await expect(page.getByText(/^Invited /)).toBeVisible();
      }
      await expect(page.getByRole("button", { name: "That wasn't me" })).toBeVisible();
      expect(await findPageFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Confirm" }).click();
      await expect(heading(page)).toHaveText("Your registration is complete");
      expect(await findPageFaults(page)).toEqual([]);
      await login(page, email);
      await expect(page).toHaveURL(/\/location$/);

      const another = await anotherBrowser(browser);
      await another.goto(verify);
      await expect(another.getByRole("alert")).toHaveText("Your email address is already confirmed. You can log in.");
      await expect(another.getByRole("button", { name: "To Login Page" })).toBeVisible();
      await another.goto(link);
      await expect(another.getByText(/^You can now log in with your email address/)).toBeVisible();
      await another.goto(link.slice(0, -1));
      await expect(another.getByRole("alert")).toContainText("This link is not valid.");
      await another.context().close();
    },
  );

  test(
    `RG-03 AC-04 AC-13 open sign-up waits for its review, is accepted, confirmed and logs in: ${name}`,
    { tag: "@prove" },
    async ({ page, apiAs, browser }) => {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      const [email, organization] = [newEmail(), newName("Willow")];
      await page.goto("/login");
      await page.getByRole("link", { name: "Sign up" }).click();
      await expect(page).toHaveURL("/sign-up");
      await expect(heading(page)).toHaveText("Sign up");
      await expect(
        page.getByText("Create an account to manage your sensors and unlock exclusive platform-only features!"),
      ).toBeVisible();
      await expect(page.getByRole("banner")).toHaveCount(0);
      await fillForm(page, { Organization: organization, Email: email, Supplier: "Sensor Shop Ltd., Leeds" });
      await page.getByRole("button", { name: "Register" }).click();
      await expect(page.getByRole("alert")).toHaveText(
        "Submission successful! Your account is waiting for approval by our support team...",
      );
      await expect(page.getByRole("button", { name: "Register" })).toHaveCount(0);

      const desk = await anotherBrowser(browser);
      await desk.setViewportSize(size);
      await desk.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await desk.goto("/login?from=/account");
      await typeLogin(desk, personas.support.email, personas.support.password);
      const list = desk.getByRole("region", { name: "Accounts awaiting review" });
      const entry = list.getByRole("listitem").filter({ hasText: organization });
      await expect(entry.getByText("TO BE REVIEWED")).toBeVisible();
      await expect(entry.getByRole("button", { name: `Delete ${organization}` })).toBeVisible();
      await entry.getByRole("button", { name: `Review ${organization}` }).click();
      await expect(desk).toHaveURL(/\/account\/review\//);
      const dialog = desk.getByRole("dialog", { name: "Review account" });
      await expect(dialog.getByText("Do you approve the registration of the following account?")).toBeInViewport();
      for (const [label, value] of [
        ["First Name", "Anne-Marie"],
        ["Organization", organization],
        ["City", "Bad Homburg"],
        ["Email", email],
        ["Supplier", "Sensor Shop Ltd., Leeds"],
      ] as const) {
        await expect(field(desk, label)).toHaveValue(value);
        await expect(field(desk, label)).not.toBeEditable();
      }
      for (const label of ["Password", "Confirm Password"]) await expect(field(desk, label)).toHaveCount(0);
      await expect(dialog.getByRole("checkbox", { name: /Data Processing Agreement/ })).toBeChecked();
      await expect(dialog.getByText(/version of 2024-06-01$/)).toBeVisible();
      expect(await findPageFaults(desk)).toEqual([]);
      const parent = dialog.getByRole("combobox", { name: "Parent Account" });
      await parent.fill(organization);
      await expect(desk.getByText("Nothing found")).toBeVisible();
      await pick(parent, personas.operator.account);
      await pick(dialog.getByRole("combobox", { name: "Role" }), "Customer admin");
      await dialog.getByRole("button", { name: "Accept" }).click();
      await expect(dialog).toHaveCount(0);
      await expect(entry).toHaveCount(0);
      await desk.context().close();

      const { link } = await mailTo(email);
      await page.goto(link.replace(/\/verify\/.*/, ""));
      await expect(heading(page)).toHaveText("Please confirm your email address");
      await page.goto(link);
      await expect(page.getByText(organization, { exact: true })).toBeVisible();
      await expect(page.getByText(email, { exact: true })).toBeVisible();
      await page.getByRole("button", { name: "Confirm" }).click();
      await expect(heading(page)).toHaveText("Your registration is complete");
      await login(page, email);
      await expect(page).toHaveURL(/\/location$/);
      const operator = await apiAs("operator");
      const [made] = await operator.get<{ role: { name: string }; registrationInfo: unknown[] }[]>(
        `/api/account?email=${encodeURIComponent(email)}`,
      );
      expect(made).toMatchObject({
        role: { name: "Customer administrator" },
        registrationInfo: [{ stepReached: 2, legal: { dpaVersion: "2024-06-01" } }],
      });
    },
  );

  test(
    `RG-03 AC-13 a sign-up is rejected: a polite mail, no way in, and nothing left to decide: ${name}`,
    { tag: "@prove" },
    async ({ page, apiAs, signIn, browser }) => {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      const [email, organization] = [newEmail(), newName("Unwanted")];
      await page.goto("/sign-up");
      await fillForm(page, { Organization: organization, Email: email });
      await page.getByRole("button", { name: "Register" }).click();
      await expect(page.getByRole("alert")).toContainText("Submission successful!");
      const support = await apiAs("support");
      const [waiting] = await support.get<{ _id: string }[]>(`/api/account?email=${encodeURIComponent(email)}`);
      await signIn(page, "support");
      await page.goto(`/account/review/${waiting?._id}`);
      await page.getByRole("button", { name: "Reject" }).click();
      await expect(page).toHaveURL("/account");
      const { text, link } = await mailTo(email);
      expect(text).toContain("Unfortunately, we could not approve the registration");
      expect(link).toBe("");
      await page.goto(`/account/review/${waiting?._id}`);
      for (const name_ of ["Reject", "Accept"])
        await expect(page.getByRole("button", { name: name_ })).toHaveAttribute("aria-disabled", "true");
      const theirs = await anotherBrowser(browser);
      await theirs.goto("/login");
      await typeLogin(theirs, email, password);
      await expect(theirs.getByRole("alert")).toHaveText("Email or password is wrong");
      await theirs.context().close();
    },
  );
}

test(
  "RG-06 T-08 somebody else registered with my address: one click ends it, and its links say so",
  { tag: "@prove" },
  async ({ page, apiAs, provoke }) => {
    provoke(/status of 404 .*\/registration\/\S+$/);
    const email = newEmail();
    const link = await invite(await apiAs("operator"), email);
    await page.goto(link);
    await fillForm(page);
    await page.getByRole("button", { name: "Register" }).click();
    await expect(heading(page)).toHaveText("Please confirm your email address");
    const { link: verify } = await mailTo(email, 2);
    await page.goto(verify);
    await page.getByRole("button", { name: "That wasn't me" }).click();
    await expect(heading(page)).toHaveText("Registration ended");
    expect(await findPageFaults(page)).toEqual([]);
    await page.goto(verify);
    await expect(page.getByRole("alert")).toContainText("Email verification failed. This link is not valid.");
    await page.getByRole("button", { name: "To Login Page" }).click();
    await expect(page).toHaveURL("/login");
  },
);

test(
  "RG-03 T-08 signing up with an address that is known looks the same, and its owner gets a mail",
  { tag: "@prove" },
  async ({ page }) => {
    await page.goto("/sign-up");
    await fillForm(page, { Organization: newName("Copy"), Email: personas.noLicense.email });
    await page.getByRole("button", { name: "Register" }).click();
    await expect(page.getByRole("alert")).toHaveText(
      "Submission successful! Your account is waiting for approval by our support team...",
    );
    expect((await mailTo(personas.noLicense.email)).text).toContain("An account already exists for it");
  },
);
