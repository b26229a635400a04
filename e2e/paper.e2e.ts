// Tests printing counts and dashboard on A4 in light colors, without controls (docs/rules/console.md#look). Also tests that no
// page flashes in the other theme.

import type { Page } from "@playwright/test";
import { expect, test } from "./world.ts";

/** Printable area of A4 with 10 mm margins, in CSS px. */
const sheet = { width: 718, height: 1047 };

const cutOff = `[...document.querySelectorAll("main *")].filter((one) => {
  const map = one.closest('[aria-label="Map"]');
  return one.getClientRects().length > 0 && one.getBoundingClientRect().right > ${sheet.width} + 1 && (map === null || map === one);
}).map((one) => one.outerHTML.slice(0, 80))`;

async function toPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.setViewportSize(sheet);
  // Waits for fonts, because a fallback font may be wider.
  await page.evaluate(
    "document.fonts.ready.then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))",
  );
}

async function expectPaper(page: Page): Promise<void> {
  for (const gone of [
    page.getByRole("banner"),
    page.getByRole("contentinfo"),
    page.getByRole("navigation"),
    page.getByRole("combobox"),
    page.getByRole("textbox"),
    // Map markers are buttons on the screen, but are printed.
    page.getByRole("button").and(page.locator(":not([data-on-paper])")),
  ])
    await expect(gone.filter({ visible: true })).toHaveCount(0);
  await expect.poll(() => page.evaluate<string[]>(cutOff)).toEqual([]);
  const look = await page.evaluate<string[]>(
    "[document.body, document.querySelector('h1'), document.querySelector('main section')].map((one, at) => getComputedStyle(one)[at === 1 ? 'color' : 'backgroundColor'])",
  );
  expect(look).toEqual(["rgb(255, 255, 255)", "rgb(23, 33, 31)", "rgb(255, 255, 255)"]);
}

test(
  "SH-10 printed counts name location, days and comparison, and nothing is cut off",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { objects } = await api.get<{ objects: { _id: string; name: string }[] }>(
      "/api/v2/measurement?limit=1&sortBy=name",
    );
    const { _id, name } = objects[0] ?? { _id: "", name: "" };
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await signIn(page, "customer");
    await page.goto(`/location/${_id}/counts?range=last30days&compare=previous`);
    const chart = page
      .getByRole("figure", { name: /^People per day, / })
      .locator("div[aria-hidden] svg")
      .first();
    await expect(chart).toBeVisible();
    await expect(page.getByRole("table", { name: "People in by weekday and hour" })).toBeVisible();
    // Browsers print right after this event, so the chart must be narrow at once.
    const widthOf = async () => (await chart.boundingBox())?.width ?? 0;
    await expect.poll(widthOf).toBeGreaterThan(900);
    const before = await widthOf();
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    expect(await widthOf()).toBeLessThanOrEqual(sheet.width - 34);
    await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
    await expect.poll(widthOf).toBe(before);

    await toPaper(page);
    await expectPaper(page);
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await expect(page.getByText(/^Counts of .+ 20\d\d, by day, compared with .+ 20\d\d$/)).toBeVisible();
    await expect(page.getByText("People in by weekday and hour", { exact: true })).toBeVisible();
    await expect(chart).toBeVisible();
    // On the screen, this text is hidden, also from screen readers.
    await page.emulateMedia({ media: "screen", colorScheme: "dark" });
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect(page.getByText(/^Counts of /)).toBeHidden();

    await page.getByRole("button", { name: "Show table" }).click();
    const hidden = () =>
      page.evaluate<number>(
        "[...document.querySelectorAll('[role=region][aria-label^=\"People per day\"]')].reduce((sum, one) => sum + one.scrollHeight - one.clientHeight, 0)",
      );
    expect(await hidden()).toBeGreaterThan(100);
    await toPaper(page);
    expect(await hidden()).toBe(0);
    await expectPaper(page);
  },
);

test(
  "SH-10 the printed dashboard fits the sheet and names account and time",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await signIn(page, "customer");
    await page.goto("/dashboard");
    // Waits for the rings, which render after their legends.
    for (const ring of ["Online and offline", "By sensor type", "Monitored"])
      await expect(page.getByRole("figure", { name: ring }).locator("svg path").first()).toBeVisible();
    const map = page.getByRole("region", { name: "Map" });
    await expect(map.getByRole("button").first()).toBeVisible();
    await toPaper(page);
    await expectPaper(page);
    for (const card of ["Today", "Needs attention", "Sensors", "Locations"])
      await expect(page.getByRole("region", { name: card, exact: true })).toBeVisible();
    await expect(page.getByText(/^Harbour Stores, \d\d \w+ 20\d\d, \d\d:\d\d:\d\d /)).toBeVisible();
    await expect(map.locator("[data-on-paper]").first()).toBeVisible();
    await expect(map.locator("canvas")).toHaveCSS("filter", /invert\(1\)/);
    // The legend of a ring must not overlap other rings.
    const overlaps = `[...document.querySelectorAll("figure dl")].flatMap((list) => {
    const own = list.closest("figure").getBoundingClientRect();
    return [...list.querySelectorAll("dd")].filter((one) => one.getBoundingClientRect().right > own.right + 1).map((one) => one.outerHTML);
  })`;
    await expect.poll(() => page.evaluate<string[]>(overlaps)).toEqual([]);
  },
);

test(
  "a page has its theme before its first paint, whatever the system prefers",
  { tag: "@prove" },
  async ({ page }) => {
    await page.addInitScript(`
    window.themes = [];
    new MutationObserver((changes) => {
      for (const { attributeName } of changes)
        if (attributeName === "data-theme")
          window.themes.push([document.documentElement.dataset.theme, document.body === null, performance.now()]);
    }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-theme"] });
  `);
    for (const [kept, system, shown, background] of [
      ["dark", "light", "dark", "rgb(13, 18, 18)"],
      ["light", "dark", "light", "rgb(250, 251, 251)"],
      ["system", "dark", "dark", "rgb(13, 18, 18)"],
    ] as const) {
      await page.emulateMedia({ colorScheme: system });
      await page.goto("/login");
      await page.evaluate(`localStorage.setItem("mui-mode", "${kept}")`);
      await page.reload();
      await expect(page.getByLabel("Email")).toBeVisible();
      const themes = await page.evaluate<[string, boolean, number][]>("window.themes");
      expect(new Set(themes.map(([theme]) => theme)), kept).toEqual(new Set([shown]));
      expect(themes[0]?.[1], "set while there was no body").toBe(true);
      const painted = await page.evaluate<number>(
        "performance.getEntriesByName('first-paint')[0]?.startTime ?? Infinity",
      );
      expect(themes[0]?.[2]).toBeLessThan(painted);
      expect(await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor")).toBe(
        background,
      );
    }
  },
);
