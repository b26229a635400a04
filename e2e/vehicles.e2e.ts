// Tests that a train operator sees how full a coach is with at most two clicks from the home page.
import { findPageFaults } from "./faults.ts";
import { expect, test } from "./world.ts";

// Only demos of this size have trains.
test.use({ settings: { DEMO_SENSORS: "48", DEMO_HISTORY: "off" } });

for (const [name, viewport, options] of [
  ["on a desktop", { width: 1440, height: 900 }, {}],
  ["on a phone", { width: 390, height: 844 }, { tag: "@prove" }],
] as const)
  test(
    `${name}, the load of coach 4 takes at most two clicks from the home page`,
    options,
    async ({ page, signIn }) => {
      await page.setViewportSize(viewport);
      await signIn(page, "operator");
      await page.goto("/");
      // The menu of a phone is closed, but the home page leads to vehicles as well.
      if (viewport.width > 600) await page.getByRole("link", { name: "Sensors", exact: true }).first().click();
      await page.getByRole("link", { name: "Vehicles", exact: true }).click();
      const train = page.getByRole("list", { name: "Coaches of IR-101" });
      const coach = train.getByRole("listitem").nth(3);
      await expect(coach).toContainText(/^Coach 4: (\d+ %|empty), \d+ seats? free/);
      await expect(coach).toBeInViewport();
      await expect(page.getByText("Line S1").first()).toBeVisible();
      expect(await findPageFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "IR-101" }).click();
      await expect(page.getByRole("region", { name: "Details of IR-101" }).getByRole("figure")).toBeVisible();
      expect(await findPageFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Map", exact: true }).click();
      await expect(page.getByRole("region", { name: "Map", exact: true })).toBeVisible();
      expect(await findPageFaults(page)).toEqual([]);
      // The longest line above the list must not make a phone scroll sideways.
      await page.goto("/sensor?viewType=vehicles&vehicleID=IR-101");
      await expect(page.getByText(/^1 of \d+ vehicles$/)).toBeVisible();
      expect(await findPageFaults(page)).toEqual([]);
    },
  );
