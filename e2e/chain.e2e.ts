// Tests that the manager of a chain of shops needs few clicks from the dashboard for files, reports, conversion and comparisons.
import type { Locator, Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { type Api, expect, newName, test } from "./world.ts";

const screens = [
  ["a desktop", { width: 1440, height: 900 }, {}],
  ["a phone", { width: 390, height: 844 }, { tag: "@prove" }],
] as const;

function person(page: Page) {
  let clicks = 0;
  const click = async (what: Locator) => {
    clicks += 1;
    await what.click();
  };
  return {
    click,
    /** Starts a task on the dashboard. */
    async begin(): Promise<void> {
      await page.goto("/dashboard");
      clicks = 0;
    },
    choose: async (list: string, option: string) => {
      await click(page.getByRole("combobox", { name: list, exact: true }));
      await click(page.getByRole("option", { name: option, exact: true }));
    },
    compare: (range: string) =>
      click(
        page.getByRole("navigation", { name: "Compare locations" }).getByRole("link", { name: range, exact: true }),
      ),
    clicks: () => clicks,
  };
}

/** Sales of the 2nd of last month, so that there is something to sort by. */
async function sell(api: Api): Promise<void> {
  type Place = { _id: string; location: { timezone: string | null } };
  const { objects } = await api.get<{ objects: Place[] }>("/api/v2/measurement?limit=1&name=Main+entrance");
  const [place] = objects;
  const timeZone = place?.location.timezone ?? "UTC";
  const day = Temporal.Now.zonedDateTimeISO(timeZone).subtract({ months: 1 }).with({ day: 2 }).startOfDay();
  const [start, end] = [day, day.add({ days: 1 })].map((at) => at.toInstant().toString());
  await api.put(`/api/measurement/${place?._id}/sales`, [
    { start, end, transactions: 40, revenue: 1000, currency: "EUR" },
  ]);
}

for (const [name, viewport, options] of screens)
  test(
    `on ${name}, the tasks of a chain take few clicks from the dashboard`,
    options,
    async ({ page, signIn, apiAs }) => {
      const api = await apiAs("customer");
      await sell(api);
      await page.setViewportSize(viewport);
      await signIn(page, "customer");
      const someone = person(page);
      const heading = page.getByRole("heading", { level: 1, name: "Compare counts" });

      await test.step("last month of all shops as XLSX: at most 4", async () => {
        await someone.begin();
        await someone.compare("Last month");
        const coming = page.waitForEvent("download");
        await someone.click(page.getByRole("link", { name: "Download XLSX", exact: true }));
        expect((await coming).suggestedFilename()).toMatch(/^\d+ locations_\d{4}-\d\d-01_\d{4}-\d\d-\d\d_day\.xlsx$/);
        expect(someone.clicks()).toBeLessThanOrEqual(4);
      });

      await test.step("which shops convert worse than last year: at most 4", async () => {
        await someone.begin();
        await someone.compare("Last month");
        await someone.choose("Compare with", "Year before");
        await sortBy(page, someone.click, "Conversion change");
        await expect(page).toHaveURL(/compare=year.*sortBy=conversionChange|sortBy=conversionChange.*compare=year/);
        expect(someone.clicks()).toBeLessThanOrEqual(viewport.width < 600 ? 5 : 4);
        expect(await findPageFaults(page, "everything")).toEqual([]);
      });

      await test.step("yesterday against last year on open days: at most 3", async () => {
        await someone.begin();
        await someone.compare("Yesterday");
        await someone.choose("Compare with", "Year before");
        await expect(heading).toBeVisible();
        await expect(page).toHaveURL(/range=yesterday/);
        expect(new URL(page.url()).searchParams.get("open")).toBeNull();
        expect(someone.clicks()).toBeLessThanOrEqual(3);
      });

      await test.step("a report to the boss every Monday: at most 8", async () => {
        await someone.begin();
        await someone.compare("Last 7 days");
        await someone.click(page.getByRole("button", { name: "Schedule report" }));
        const report = newName("Boss");
        await someone.click(page.getByRole("textbox", { name: "Name", exact: true }));
        await page.keyboard.type(report);
        await someone.click(page.getByRole("combobox", { name: "Recipients", exact: true }));
        await page.keyboard.type("boss@example.com");
        await page.keyboard.press("Enter");
        await someone.click(page.getByRole("button", { name: "Create", exact: true }));
        expect(someone.clicks()).toBeLessThanOrEqual(8);
        const query = `name=${encodeURIComponent(report)}`;
        await expect
          .poll(() => api.get<object[]>(`/api/report?${query}`))
          .toMatchObject([{ schedule: { every: "week", on: "mo", at: "07:00" }, recipientCount: 1 }]);
      });
    },
  );

/** On a phone, a menu sorts. */
async function sortBy(page: Page, click: (what: Locator) => Promise<void>, column: string): Promise<void> {
  const menu = page.getByRole("button", { name: /^Sort: / });
  await expect(menu.or(page.getByRole("columnheader", { name: column })).first()).toBeVisible();
  if (!(await menu.isVisible())) return click(page.getByRole("columnheader", { name: column }).getByRole("button"));
  await click(menu);
  await click(
    page
      .getByRole("menuitem", { name: column })
      .or(page.getByRole("menuitemradio", { name: column }))
      .first(),
  );
}
