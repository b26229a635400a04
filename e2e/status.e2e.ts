// Tests the public service status, help at the same place on every page, and support mails with the id of the failed request
// (docs/rules/console.md#status-page).

import { expect, test } from "./world.ts";

test("the status page says in words, without a login, whether the service works and which version runs", async ({
  page,
  provoke,
}) => {
  provoke(/503 \(Service Unavailable\)/);
  provoke(/net::ERR_FAILED/);
  await page.goto("/login");
  await page.getByRole("contentinfo").getByRole("link", { name: "Status" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Status" })).toBeVisible();
  const said = page.getByRole("status").filter({ hasText: "PS.Platform" });
  await expect(said).toContainText("PS.Platform is working");
  const answer = await page.request.get("/health");
  const version = answer.headers()["x-version"] ?? "";
  expect(version).toMatch(/^\d/);
  const facts = page.getByRole("definition");
  await expect(facts.first()).toHaveText(version);

  const again = page.getByRole("button", { name: "Check again" });
  await page.route("/health", (route) =>
    route.fulfill({ status: 503, headers: { "x-version": "9.9.9" }, json: { status: "starting" } }),
  );
  await again.click();
  await expect(said).toContainText("PS.Platform is not ready");
  await expect(facts.first()).toHaveText("9.9.9");
  await expect(said).toContainText("This page and the service have different versions. Reload to update.");
  await page.unroute("/health");
  await page.route("/health", (route) => route.abort());
  await again.click();
  await expect(said).toContainText("PS.Platform can't be reached");
  await expect(facts.first()).toHaveText("unknown");
  await page.unroute("/health");
  await again.click();
  await expect(said).toContainText("PS.Platform is working");
});

test(
  "help is at the same place on every page and includes the failed request's id",
  { tag: "@prove" },
  async ({ page, signIn, provoke }) => {
    provoke(/503 \(Service Unavailable\)/);
    const links = () => page.getByRole("contentinfo").getByRole("link").allTextContents();
    const inOrder = ["Imprint", "Privacy", "Licenses", "Status", "Support"];
    for (const path of ["/login", "/impressum", "/sign-up", "/status"]) {
      await page.goto(path);
      await expect.poll(links, path).toEqual(inOrder);
    }
    await signIn(page, "customer");
    for (const path of ["/dashboard", "/sensor", "/location", "/account", "/myaccount", "/nowhere"]) {
      await page.goto(path);
      await expect.poll(links, path).toEqual(inOrder);
    }
    await page.goto("/location");
    await expect(page.locator("[data-row-id]").first()).toBeVisible();
    const help = page.getByRole("contentinfo").getByRole("link", { name: "Support" });
    const tab = page.getByRole("banner").getByRole("link", { name: "Support" });
    expect(await help.getAttribute("href")).not.toContain("request=");
    await page.route(/\/api\/v2\/measurement\?/, (route) =>
      route.fulfill({
        status: 503,
        json: { code: 100, error: "A database error occured.", requestId: "failed-1", details: {} },
      }),
    );
    await page.getByRole("textbox", { name: "Search by Name" }).fill("harbour");
    await expect(page.getByText("Request failed-1")).toBeVisible();
    for (const link of [help, tab]) await expect(link).toHaveAttribute("href", /[?&]request=failed-1$/);
  },
);

test(
  "a term that is not plain has a question mark, which says what it means to mouse, keyboard and ear",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { objects } = await api.get<{ objects: { _id: string }[] }>("/api/v2/measurement?limit=1");
    await signIn(page, "customer");
    await page.goto("/dashboard");
    const online = page.getByRole("button", { name: "What does “Online and offline” mean?" });
    const meaning = page.getByText("Not responding: connected, but does not respond.");
    await expect(online).toBeVisible();
    await expect(meaning).toBeHidden();
    await online.click();
    await expect(meaning).toBeVisible();
    await expect(online).toHaveAccessibleDescription(/Not responding: connected/);
    await page.keyboard.press("Escape");
    await expect(meaning).toBeHidden();

    await page.goto(`/location/${objects[0]?._id}/counts`);
    const completeness = page.getByRole("button", { name: "What does “Completeness” mean?" });
    await expect(completeness).toBeVisible();
    await completeness.focus();
    await page.keyboard.press("Enter");
    const text = page.getByText(/^The share of time for which all sensors/);
    await expect(text).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(text).toBeHidden();
  },
);
