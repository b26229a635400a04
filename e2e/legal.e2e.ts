// Tests the public legal pages: versions by date, anchors and download.

import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { compareStorage } from "./kept.ts";
import { waitUntilAtRest } from "./rest.ts";
import { expect, test } from "./world.ts";

const title = (page: Page) => page.getByRole("heading", { level: 1 });
const lastLine = (page: Page) => page.getByRole("article").locator("p").last();
const openAgreement = (page: Page, date: string) =>
  page.goto(`/data-processing-agreement${date === "" ? "" : `/${date}`}`);

test("LE-01 every legal page is open to people without a login and says what it must", async ({ page }) => {
  const pages = [
    ["/impressum", "Imprint", /consumer arbitration board\.$/, namesCompany],
    ["/privacy", "Data protection policy", /^Version 2\.00, published 01\.06\.2024$/, coversProcessing],
    ["/licenses", "Licenses", /Download the third-party notices$/, null],
    ["/end-user-license-agreement", "End user license agreement", /^Version 2\.00, published 01\.06\.2024$/, null],
    ["/data-processing-agreement", "Data processing agreement", /^Version 2\.00, published 01\.06\.2024$/, isNewest],
  ] as const;
  for (const [path, heading, end, check] of pages) {
    await page.goto(path);
    await expect(title(page)).toHaveText(heading);
    await expect(page).toHaveURL(path);
    await expect(page).toHaveTitle(/ – PS\.Platform$/);
    await expect(lastLine(page)).toHaveText(end);
    await expect(page.getByRole("button", { name: "Account menu" })).toHaveCount(0);
    // If operator data were missing, a placeholder would be shown.
    await expect(page.getByRole("article")).not.toContainText("{{");
    await check?.(page);
  }
});

async function namesCompany(page: Page): Promise<void> {
  const text = page.getByRole("article");
  for (const fact of ["Zähler & Söhne GmbH", "Teststraße 7, 10115 Berlin", "HRB 4711", "DE123456789"]) {
    await expect(text).toContainText(fact);
  }
  await expect(text.getByRole("link", { name: "info@example.com" })).toHaveAttribute("href", "mailto:info@example.com");
  await expect(page.getByRole("contentinfo")).toContainText("Zähler & Söhne GmbH");
}

async function coversProcessing(page: Page): Promise<void> {
  const headings = page.getByRole("article").getByRole("heading", { level: 2 });
  for (const subject of [
    "Web hosting",
    "Account data",
    "Cloud provider",
    "Database provider",
    "Cookies",
    "Your rights",
    "Right to object",
    "Direct marketing",
    "Data security",
  ]) {
    await expect(headings.filter({ hasText: subject })).toHaveCount(1);
  }
  await expect(page.getByRole("article")).toContainText("Server logs are deleted after 30 days");
  await expect(page.getByRole("article")).toContainText("TLS");
  await expect(page.getByRole("article")).toContainText("stores neither snapshots nor previews");
}

async function isNewest(page: Page): Promise<void> {
  await expect(page.getByRole("article")).toContainText("Zähler & Söhne GmbH");
  await isVersion(page, "2.00", "01.06.2024");
}

async function isVersion(page: Page, version: string, published: string): Promise<void> {
  await expect(lastLine(page)).toHaveText(`Version ${version}, published ${published}`);
  const text = page.getByRole("article");
  await expect(text).toContainText("within one month after the main contract has ended");
  await expect(text).toContainText("at least two weeks ahead");
  await expect(text).toContainText("jurisdiction is Berlin");
  await expect(text.getByRole("heading", { name: /^Appendix 1/ })).toBeVisible();
  const subcontractors = page.getByRole("region", { name: "Table: 10.1 Subcontractors in use" }).getByRole("row");
  await expect(subcontractors).toHaveCount(3);
  const [safeguard, other] =
    version === "2.00"
      ? ["standard contractual clauses", "Privacy Shield"]
      : ["Privacy Shield", "standard contractual clauses"];
  await expect(subcontractors.nth(1)).toContainText(safeguard);
  await expect(text).not.toContainText(other);
}

test(
  "LE-01 the policy lists all that the browser keeps after a visit with changes, a draft and a logout",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    await page.goto("/sensor");
    await page.getByRole("row").nth(1).click();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.getByRole("button", { name: "Account menu" }).click();
    const menu = page.getByRole("menu", { name: "Account menu" });
    await menu.getByRole("menuitemradio", { name: "Dark theme" }).click();
    await menu.getByRole("menuitemradio", { name: "Compact rows" }).click();
    await page.goto("/location/new");
    await page.getByRole("textbox", { name: "Name" }).fill("Not saved");
    await expect
      .poll(() => page.evaluate<string[]>("Object.keys(sessionStorage)"))
      .toContainEqual(expect.stringMatching(/^psp-draft:/));
    const { kept, unlisted } = await compareStorage(page);
    expect(unlisted).toEqual([]);
    expect(kept).toEqual(expect.arrayContaining(["psp_session", "psp_browser", "mui-mode", "psp-density"]));
    expect(kept).toContainEqual(expect.stringMatching(/^psp-recent-/));
    await page.getByRole("button", { name: "Account menu" }).click();
    await menu.getByRole("menuitem", { name: "Logout" }).click();
    await expect(page).toHaveURL("/login");
    const after = await compareStorage(page);
    expect(after.unlisted).toEqual([]);
    expect(after.kept).toContain("psp-logged-out-at");
  },
);

for (const [date, version, published] of [
  ["2020-03-25", "1.01", "25.03.2020"],
  ["2020-06-02", "1.01", "25.03.2020"],
  ["2020-06-03", "1.02", "03.06.2020"],
  ["2020-08-20", "1.03", "20.08.2020"],
  ["2024-05-31", "1.03", "20.08.2020"],
  ["2024-06-01", "2.00", "01.06.2024"],
  ["2099-01-01", "2.00", "01.06.2024"],
] as const) {
  test(`LE-01 the agreement of ${date} is version ${version}`, { tag: "@prove" }, async ({ page }) => {
    await openAgreement(page, date);
    await isVersion(page, version, published);
  });
}

for (const [what, part] of [
  ["a day before the first", "2020-03-24"],
  ["a day that does not exist", "2024-02-30"],
  ["no date", "latest"],
  ["a path", "..%2F..%2Fetc%2Fpasswd"],
  ["a date and a NUL", "2024-06-01%00"],
  ["a name every object has", "constructor"],
] as const) {
  test(`LE-01 T-25 ${what} has no agreement`, { tag: what === "a path" ? [] : "@prove" }, async ({ page }) => {
    await openAgreement(page, part);
    await expect(page.getByText("No agreement found")).toBeVisible();
    await expect(page.getByRole("article")).toHaveCount(0);
    await page.getByRole("link", { name: "Newest agreement" }).click();
    await expect(lastLine(page)).toHaveText("Version 2.00, published 01.06.2024");
  });
}

test(
  "LE-01 anchors in the agreement scroll to Section 10.1 and the appendix and move the focus",
  { tag: "@prove" },
  async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 500 });
    await openAgreement(page, "2020-03-25");
    const section = page.getByRole("heading", { name: "10.1 Subcontractors in use" });
    const appendix = page.getByRole("heading", { name: /^Appendix 1/ });
    await expect(section).not.toBeInViewport();
    await page.getByRole("link", { name: "Section 10.1", exact: true }).click();
    await expect(page).toHaveURL("/data-processing-agreement/2020-03-25#section-10-1");
    await expectShown(section);
    await page.goBack();
    await page.getByRole("link", { name: "Appendix 1", exact: true }).first().press("Enter");
    await expect(page).toHaveURL("/data-processing-agreement/2020-03-25#appendix-1");
    await expectShown(appendix);
    await page.goto("/data-processing-agreement#section-10-1");
    await expectShown(section);
    await page.evaluate("window.scrollTo(0, 0)");
    await expect(section).not.toBeInViewport();
    await page.getByRole("link", { name: "Section 10.1", exact: true }).click();
    await expectShown(section);
    await page
      .getByRole("navigation", { name: "Contents" })
      .getByRole("link", { name: /^Appendix 1/ })
      .click();
    await expectShown(appendix);
  },
);

test(
  "LE-01 a place that a link leads to stays in sight when the page's letters come late",
  { tag: "@prove" },
  async ({ page }) => {
    let arrive = () => {};
    const late = new Promise<void>((resolve) => (arrive = resolve));
    await page.route(/\.woff2$/, (route) => late.then(() => route.continue()));
    const asked = page.waitForRequest(/\.woff2$/);
    await page.setViewportSize({ width: 1280, height: 500 });
    // Doesn't wait for the load event, because fonts delay it.
    await page.goto("/data-processing-agreement/2020-03-25", { waitUntil: "commit" });
    await page.getByRole("link", { name: "Section 10.1", exact: true }).click();
    const section = page.getByRole("heading", { name: "10.1 Subcontractors in use" });
    await expect(section).toBeFocused();
    await asked;
    arrive();
    await expectShown(section);
  },
);

test("LE-01 earlier versions are one step from the newest, and back", { tag: "@prove" }, async ({ page }) => {
  await openAgreement(page, "");
  await page.getByRole("link", { name: "Version 1.02, published 03.06.2020" }).click();
  await expect(page).toHaveURL("/data-processing-agreement/2020-06-03");
  await expect(lastLine(page)).toHaveText("Version 1.02, published 03.06.2020");
  await page.getByRole("link", { name: "newest agreement" }).click();
  await expect(lastLine(page)).toHaveText("Version 2.00, published 01.06.2024");
});

test(
  "LE-01 the notices can be downloaded and have every package of the page, with its license and text",
  { tag: "@prove" },
  async ({ page }) => {
    await page.goto("/licenses");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download the third-party notices" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("notices.txt");
    const notices = await readFile(await file.path(), "utf8");
    expect(notices).toContain("Copyright (c) Meta Platforms, Inc. and affiliates.");
    const rows = await page
      .getByRole("row")
      .filter({ has: page.getByRole("cell") })
      .all();
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      const [name = "", license = ""] = await row.getByRole("cell").allTextContents();
      const entry = new RegExp(
        String.raw`^${name.replaceAll("/", String.raw`\/`)} \d[^\n]*\nLicense: ${license}\n`,
        "m",
      );
      expect(notices, name).toMatch(entry);
    }
    for (const tool of ["vitest", "typescript", "@playwright/test", "@psp/contract"]) {
      expect(notices).not.toContain(`\n${tool} `);
    }
  },
);

test("T-29 what the browser loads names no source map, and none is there", async ({ page, request }) => {
  const scripts: string[] = [];
  page.on("response", (reply) => {
    if (/^\/assets\/.*\.(js|css)$/.test(new URL(reply.url()).pathname)) scripts.push(reply.url());
  });
  await page.goto("/licenses", { waitUntil: "networkidle" });
  expect(scripts.length).toBeGreaterThan(3);
  for (const url of scripts) {
    expect(await (await request.get(url)).text(), url).not.toContain("sourceMappingURL");
    expect((await request.get(`${url}.map`)).status(), url).toBe(404);
  }
});

/** Expects `place` to be visible below the header, with the focus. */
async function expectShown(place: Locator): Promise<void> {
  await expect(place).toBeInViewport({ ratio: 1 });
  await expect(place).toBeFocused();
  await waitUntilAtRest(place.page());
  await expect(place).toBeInViewport({ ratio: 1 });
  const header = await place.page().getByRole("banner").boundingBox();
  const box = await place.boundingBox();
  expect(box?.y).toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0));
}
