// Tests that a train operator sees how full a coach is with two clicks from the home page, or from the menu of a phone.
import { findPageFaults } from "./faults.ts";
import { expect, test } from "./world.ts";

// Only demos of this size have trains.
test.use({ settings: { DEMO_SENSORS: "48", DEMO_HISTORY: "off" } });

for (const [start, viewport, options] of [
  ["the home page", { width: 1440, height: 900 }, {}],
  ["the menu of a phone", { width: 390, height: 844 }, { tag: "@prove" }],
] as const)
  test(`the load of coach 4 takes two clicks from ${start}`, options, async ({ page, signIn }) => {
    await page.setViewportSize(viewport);
    await signIn(page, "operator");
    await page.goto("/");
    if (viewport.width < 600) await page.getByRole("button", { name: "Menu", exact: true }).click();
    await page.getByRole("link", { name: "Sensors", exact: true }).first().click();
    await page.getByRole("link", { name: "Vehicles", exact: true }).click();
    const train = page.getByRole("list", { name: "Coaches of IR-101" });
    const coach = train.getByRole("listitem").nth(3);
    await expect(coach).toContainText(/^Coach 4: (\d+ %|empty), \d+ seats? free/, { timeout: 60_000 });
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
  });
