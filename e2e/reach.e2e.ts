// Tests forced colors and reduced motion. For text spacing and zoom, see accessibility.e2e.ts.

import type { Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { type Api, expect, test } from "./world.ts";

async function placesOf(api: Api): Promise<string[]> {
  const sensors = await api.get<{ objects: { _id: string; type: string }[] }>("/api/v2/sensor?sensorType=APS&limit=1");
  const locations = await api.get<{ objects: { _id: string }[] }>("/api/v2/measurement?limit=1");
  const [sensor, location] = [sensors.objects[0], locations.objects[0]];
  return [
    "/dashboard",
    "/location",
    `/location/${location?._id}/counts`,
    `/location/${location?._id}/general`,
    "/sensor",
    `/sensor/aps/${sensor?._id}/general`,
    "/sensor/register",
    "/firmware",
    "/account",
    "/role",
    "/role/new",
    "/myaccount",
  ];
}

/**
 * Whether the focus is visible, as a ring or a wider field border. Also true after the last tab stop, when nothing has the
 * focus.
 */
const seesFocus = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const one = document.activeElement;
    if (one === document.body) return true;
    const frame = one.closest(".MuiOutlinedInput-root")?.querySelector("fieldset");
    if (frame && parseFloat(getComputedStyle(frame).borderTopWidth) >= 2) return true;
    const near = [one, one.parentElement, one.closest("label")].filter(Boolean).map((each) => getComputedStyle(each));
    return near.some((style) => style.outlineStyle !== "none" || style.boxShadow !== "none");
  })()`);

test(
  "with colors of the system the pages have no violation and the focus is seen",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
    const places = await placesOf(await apiAs("customer"));
    await signIn(page, "customer");
    const faults: string[] = [];
    for (const place of places) {
      await page.goto(place);
      // In forced colors, the system determines the contrast.
      for (const fault of await findPageFaults(page))
        if (!fault.startsWith("color-contrast")) faults.push(`${place} ${fault}`);
      for (let step = 0; step < 12; step += 1) {
        await page.keyboard.press("Tab");
        if (!(await seesFocus(page)))
          faults.push(
            `${place} hides the focus: ${await page.evaluate<string>("document.activeElement.outerHTML.slice(0, 160)")}`,
          );
      }
    }
    expect(faults).toEqual([]);
  },
);

test(
  "who wants no motion gets none: dialogs, menus and lists are there at once",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await signIn(page, "customer");
    const moving = () =>
      page.evaluate<string[]>(`document.getAnimations()
      .filter((one) => one.playState === "running" && (one.effect?.getComputedTiming().duration ?? 0) > 1)
      .map((one) => one.effect.target?.className + " " + (one.transitionProperty ?? one.animationName))`);
    await page.goto("/role");
    await page.getByRole("button", { name: "Create role" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await moving()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menu").waitFor();
    expect(await moving()).toEqual([]);
  },
);
