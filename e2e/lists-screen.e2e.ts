// Tests the layout of lists. No text is truncated without a tooltip, the pager is close in tab order, targets are large, tables
// can be printed, and selection and focus are kept when the user comes back.

import type { Page } from "@playwright/test";
import { openFilters } from "./filters.ts";
import { waitUntilAtRest } from "./rest.ts";
import { expect, newName, newSensorId, test } from "./world.ts";

const lists = {
  sensors: "/sensor",
  locations: "/location",
  counts: "/location/counts",
  tokens: "/init-token",
  firmware: "/firmware",
  accounts: "/account?viewType=list",
  tree: "/account",
  roles: "/role",
};

async function arrive(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator("[data-row-id], [role=treeitem]").first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await waitUntilAtRest(page);
}

/** Marks visibly truncated texts and returns their number. */
const markCut = `(() => {
  let count = 0;
  for (const one of document.querySelectorAll("main table *, main [role=tree] *, main ul[aria-label] *")) {
    const style = getComputedStyle(one);
    if (style.overflowX === "visible" || style.display === "inline" || one.closest("[data-row-actions]")) continue;
    if (one.clientWidth <= 1 || one.scrollWidth <= one.clientWidth || one.textContent === "") continue;
    one.setAttribute("data-cut", String(count++));
  }
  return count;
})()`;

const hiddenWidth = `Math.max(0, ...[...document.querySelectorAll("main table")].map(
  ({ parentElement: box }) => box.scrollWidth - box.clientWidth
))`;

const tooSmall = (least: number) => `[...document.querySelectorAll(
  "main :is(a, button, input, [role=button], [role=combobox], [tabindex='0'])"
)].flatMap((one) => {
  const style = getComputedStyle(one);
  if (one.getClientRects().length === 0 || style.visibility === "hidden" || one.closest("[aria-hidden=true]")) return [];
  // Inputs are measured with their container, and a card title with its card.
  const target = one.matches("input") ? one.closest("label, .MuiCheckbox-root, .MuiInputBase-root") ?? one
    : one.dataset.rowLink === "card" ? one.closest("li") : one;
  const { width, height } = target.getBoundingClientRect();
  if (width === 0) return [];
  return width < ${least} || height < ${least} ? [(one.ariaLabel ?? one.textContent) + " " + width + "x" + height] : [];
})`;

test(
  "SH-10 in no list, at no width, a text is cut that no tip shows in full",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    const untold: string[] = [];
    let looked = 0;
    for (const width of [820, 1280, 1440, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      for (const [name, path] of Object.entries(lists)) {
        await arrive(page, path);
        const hidden = await page.evaluate<number>(hiddenWidth);
        expect(hidden, `px of ${name} at ${width} under the buttons`).toBe(0);
        const count = await page.evaluate<number>(markCut);
        // Checks only one truncated text per column.
        const seen = new Set<string>();
        for (let n = 0; n < count; n += 1) {
          const cut = page.locator(`[data-cut="${n}"]`);
          const cell = await cut.evaluate<string, unknown>(
            "(one) => String(one.closest('td, th, li')?.cellIndex) + one.tagName",
          );
          if (seen.has(cell)) continue;
          seen.add(cell);
          looked += 1;
          await page.mouse.move(2, 2);
          await expect(page.getByRole("tooltip")).toHaveCount(0);
          await cut.hover();
          const shown = await page
            .getByRole("tooltip")
            .waitFor({ timeout: 30_000 })
            .then(
              () => true,
              () => false,
            );
          if (!shown) untold.push(`${name} at ${width}: ${await cut.innerText()}`);
        }
      }
    }
    expect(looked, "nothing was cut at all").toBeGreaterThan(5);
    expect(untold).toEqual([]);
  },
);

test(
  "SH-10 every target of every list is at least 24 px, and a row of the phone at least 44",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    const small: string[] = [];
    for (const width of [390, 820, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      for (const [name, path] of Object.entries(lists)) {
        await arrive(page, path);
        for (const one of await page.evaluate<string[]>(tooSmall(24))) small.push(`${name} at ${width}: ${one}`);
        if (width > 390) continue;
        const heights = await page.evaluate<number[]>(
          "[...document.querySelectorAll('main li[data-row-id], main [data-line]')].map((one) => one.offsetHeight)",
        );
        expect(Math.min(...heights), name).toBeGreaterThanOrEqual(44);
      }
    }
    expect(small).toEqual([]);
  },
);

test(
  "SE-01 the pager of every list is within 40 tabs from the top, whatever number of rows is before it",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    for (let n = 0; n < 12; n += 1) await api.post("/api/init_token", { owner, name: newName("pager") });
    await signIn(page, "customer");
    const counted: Record<string, number> = {};
    for (const [name, path] of Object.entries(lists)) {
      await arrive(page, path);
      await page.locator("body").evaluate("(body) => { document.activeElement?.blur(); window.scrollTo(0, 0); }");
      // A list with a single page has no pager, so the footer comes next.
      const isThere = "document.activeElement?.closest('nav[aria-label=Pages], footer') != null";
      for (counted[name] = 1; counted[name] <= 60; counted[name] += 1) {
        await page.keyboard.press("Tab");
        if (await page.evaluate<boolean>(isThere)) break;
      }
    }
    for (const [name, tabs] of Object.entries(counted)) expect(tabs, name).toBeLessThanOrEqual(40);
  },
);

test(
  "SH-10 paper gets the table alone, in light colors also from the dark",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await page.emulateMedia({ colorScheme: "dark" });
    await signIn(page, "customer");
    for (const path of [lists.sensors, lists.locations, lists.roles]) {
      await page.emulateMedia({ media: "screen", colorScheme: "dark" });
      await arrive(page, path);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await expect(page.getByRole("table")).toBeVisible();
      for (const gone of [
        page.getByRole("banner"),
        page.getByRole("button", { name: /^Filters/ }),
        page.getByRole("textbox", { name: /^Search by/ }),
        page.getByRole("complementary", { name: "Filters" }),
        page.getByRole("checkbox", { name: "Select page" }),
        page.getByRole("navigation", { name: "Pages" }),
        page.getByRole("contentinfo"),
      ])
        await expect(gone.filter({ visible: true })).toHaveCount(0);
      const look = await page.evaluate<string[]>(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('tbody td')).color]",
      );
      expect(look[0]).toBe("rgb(255, 255, 255)");
      expect(look[1]).toBe("rgb(23, 33, 31)");
    }
  },
);

test(
  "SE-01 selection, focus and scroll position are restored on Back",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const group = newName("kept");
    const ids = Array.from({ length: 9 }, newSensorId).toSorted();
    for (const _id of ids) {
      await api.post("/api/sensor", { _id, owner, type: "APS" });
      await api.put(`/api/sensor/${_id}`, { groups: [group] });
    }
    await page.setViewportSize({ width: 1280, height: 420 });
    await signIn(page, "customer");
    const address = `/sensor?groups=${encodeURIComponent(group)}`;
    await arrive(page, address);
    await openFilters(page);
    for (const id of ids.slice(0, 2)) await page.getByRole("checkbox", { name: `Select ${id}` }).click();
    const bar = page.getByRole("toolbar", { name: "Selection" });
    await expect(bar).toContainText("2 selected");
    const row = page.getByRole("row", { name: new RegExp(ids[8] ?? "") });
    await row.scrollIntoViewIfNeeded();
    await expect(bar.getByRole("button", { name: "Select all 9" })).toBeInViewport();
    expect(await page.evaluate<number>("window.scrollY")).toBeGreaterThan(0);
    const link = row.getByRole("link", { name: ids[8] ?? "" });
    await expect(link).toHaveAttribute("href", new RegExp(`/sensor/aps/${ids[8]}/general\\?groups=`));
    await link.click();
    await expect(page.getByRole("heading", { level: 1, name: ids[8] ?? "" })).toBeVisible();
    await page.goBack();
    await expect(row).toBeFocused();
    await expect(bar).toContainText("2 selected");
    await expect(row).toBeInViewport();
    await page.evaluate("window.scrollTo(0, 0)");
    await page.getByLabel("Sensor Type", { exact: true }).click();
    await page.getByRole("option", { name: "APS", exact: true }).click();
    await expect(bar).toHaveCount(0);
    await page.getByRole("textbox", { name: "Search by ID" }).fill((ids[0] ?? "").toLowerCase().replaceAll(":", ""));
    await expect(page.locator("mark")).toHaveText([ids[0] ?? ""]);
    await expect(page.getByText(/^1 of \d+ sensors$/)).toBeVisible();
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect(page.getByRole("row", { name: new RegExp(ids[1] ?? "") })).toBeVisible();
    await expect(bar).toHaveCount(0);
  },
);

test(
  "SE-01 a row opens beside the list by Ctrl and click, and on the phone its title is the same link",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    await arrive(page, lists.sensors);
    const href = await page.locator("a[data-row-link]").first().getAttribute("href");
    // Checks only that no handler prevents Ctrl+click, because opening a tab is unreliable in some headless browsers.
    await page.evaluate(
      "left = []; addEventListener('click', (event) => left.push([event.target.closest('a')?.pathname, event.defaultPrevented]))",
    );
    const row = page.locator("a[data-row-link]").first();
    await row.click({ modifiers: ["ControlOrMeta"] });
    await row.click({ modifiers: ["Shift"] });
    expect(await page.evaluate("left")).toEqual([
      [href, false],
      [href, false],
    ]);
    expect(new URL(page.url()).pathname).toBe("/sensor");
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole("list", { name: "Sensors" }).getByRole("link").first()).toHaveAttribute(
      "href",
      href ?? "-",
    );
  },
);
