// Tests sign-in, session lifetime and logout (AU-01, AU-02, AU-03, AU-08, AU-09).

import { expect, newName, personas, test, typeLogin } from "./world.ts";

const { email, password } = personas.customer;

test("AU-01 AU-02 the login screen says what is missing, shows the password on demand, and leads in", async ({
  page,
  signIn,
}) => {
  await page.goto("/login");
  await expect(page.getByRole("heading", { name: "Welcome to PS.Platform" })).toBeVisible();
  await page.getByRole("button", { name: "Login" }).click();
  await expect(page.getByText("E-mail is required")).toBeVisible();
  await expect(page.getByText("Password is required")).toBeVisible();
  await page.getByLabel("Email").fill("someone");
  await page.getByRole("textbox", { name: "Password" }).fill("secret");
  await expect(page.getByText("Must be valid e-mail")).toBeVisible();
  await expect(page.getByText("Password is required")).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Password" })).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Show password" }).click();
  await expect(page.getByRole("textbox", { name: "Password" })).toHaveAttribute("type", "text");
  await page.getByRole("button", { name: "Hide password" }).click();
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await expect(page).toHaveURL("/forgot-password");
  await page.getByRole("link", { name: "Back to login page" }).click();
  // Waits for the new page, because both pages have an e-mail field.
  await expect(page.getByRole("heading", { name: "Welcome to PS.Platform" })).toBeVisible();
  await typeLogin(page, email, password);
  await expect(page).toHaveURL("/dashboard");
  await signIn(page, "customer");
  await page.goto("/login");
  await expect(page).toHaveURL("/dashboard");
});

test(
  "AU-03 a wrong password says so, and the sixth within a minute must wait",
  { tag: "@prove" },
  async ({ page, provoke }) => {
    provoke(/status of 401 .*\/api\/auth\/login$/);
    provoke(/status of 429 .*\/api\/auth\/login$/);
    await page.goto("/login");
    const wrong = `${newName("someone").replace(" ", ".")}@example.com`;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await typeLogin(page, wrong, `wrong ${attempt}`);
      await expect(page.getByRole("alert")).toHaveText("Email or password is wrong");
      await expect(page.getByRole("button", { name: "Login" })).toBeEnabled();
    }
    await typeLogin(page, wrong, "wrong again");
    await expect(page.getByRole("alert")).toHaveText("Rate limit reached. Please wait 1 minute before trying again.");
  },
);

test("AU-08 a session survives reload and a new browser; logout ends it on the server, too", async ({
  page,
  browser,
  baseURL,
}) => {
  await page.goto("/location");
  await typeLogin(page, email, password);
  await expect(page.getByRole("heading", { name: "Locations" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Locations" })).toBeVisible();
  const kept = await page.context().storageState();
  const later = await browser.newContext({ storageState: kept, ...(baseURL === undefined ? {} : { baseURL }) });
  const laterPage = await later.newPage();
  await laterPage.goto("/location");
  await expect(laterPage.getByRole("heading", { name: "Locations" })).toBeVisible();

  await page.getByRole("button", { name: "Account menu" }).click();
  await page.getByRole("menuitem", { name: "Logout" }).click();
  await expect(page).toHaveURL("/login");
  await expect.poll(async () => (await later.request.get("/api/auth/user")).status()).toBe(401);
  await expect(laterPage).toHaveURL(/\/login/);
  await page.goto("/location");
  await expect(page).toHaveURL(/\/login/);
});

test(
  "AU-09 a changed role shows without reload: tabs come and go",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const dealer = await apiAs("operator");
    const roles = await dealer.get<{ _id: string; name: string }[]>("/api/role");
    const accounts = await dealer.get<{ _id: string; name: string }[]>(
      `/api/account?name=${encodeURIComponent(personas.customerChild.account)}`,
    );
    const branch = accounts[0]?._id;
    const role = (name: string) => roles.find((one) => one.name === name)?._id;
    await signIn(page, "customerChild");
    await page.goto("/location");
    const tabs = page.getByRole("navigation", { name: "Main" });
    await expect(tabs.getByRole("link", { name: "Sensors" })).toBeVisible();
    await expect(tabs.getByRole("link", { name: "Accounts" })).toHaveCount(0);
    await dealer.put(`/api/account/${branch}`, { role: role("Customer administrator") });
    await expect(tabs.getByRole("link", { name: "Accounts" })).toBeVisible();
    await dealer.put(`/api/account/${branch}`, { role: role("Branch manager") });
    await expect(tabs.getByRole("link", { name: "Accounts" })).toHaveCount(0);
  },
);
