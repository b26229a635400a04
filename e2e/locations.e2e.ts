// Tests locations: creating with address and time zone, the map, and batches.

import type { Locator, Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { openFilters } from "./filters.ts";
import { expect, newName, test } from "./world.ts";

function actions(page: Page) {
  let count = 0;
  return {
    click: async (what: Locator) => {
      count += 1;
      await what.click();
    },
    type: async (what: Locator, text: string) => {
      count += 1;
      await what.fill(text);
    },
    count: () => count,
    page,
  };
}

test("LO-02 a location by its address, with the right time zone, takes at most 6 actions from the list", async ({
  page,
  signIn,
  apiAs,
}) => {
  await signIn(page, "customer");
  await page.goto("/location");
  const act = actions(page);
  const name = newName("Hill shop");
  await act.click(page.getByRole("button", { name: "Create location" }));
  await act.type(page.getByRole("textbox", { name: "Name", exact: true }), name);
  await act.type(page.getByRole("combobox", { name: "Address", exact: true }), "Kathmandu");
  await act.click(page.getByRole("option", { name: /Kathmandu.*Nepal/ }).first());
  await expect(page.getByRole("definition").filter({ hasText: "Asia/Kathmandu" })).toBeVisible();
  await act.click(page.getByRole("button", { name: "Create", exact: true }));
  await expect(page).toHaveURL(/\/location\/[\da-f-]{36}\/general$/);
  expect(act.count()).toBeLessThanOrEqual(6);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  // The clock in the header shows the time in Kathmandu, 5:45 ahead of UTC.
  await expect(page.getByRole("main").getByText(/^\d{2}\.\d{2}\.\d{4} \d{2}:\d{2}:\d{2}$/)).toBeVisible();
  const api = await apiAs("customer");
  const { objects } = await api.get<{ objects: { location: { timezone: string; address: { country: string } } }[] }>(
    `/api/v2/measurement?name=${encodeURIComponent(name)}`,
  );
  expect(objects).toMatchObject([{ location: { timezone: "Asia/Kathmandu", address: { country: "Nepal" } } }]);
});

test(
  "LO-02 pasted coordinates are an address, too, and moving the pin changes them",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    await page.goto("/location/new");
    const map = page.getByRole("region", { name: "Map", exact: true });
    await expect(map.getByRole("application")).toBeVisible();
    await page.getByRole("combobox", { name: "Address", exact: true }).fill("-41.2865, 174.7762");
    await page.getByRole("option").first().click();
    await expect(page.getByRole("definition").filter({ hasText: "Pacific/Auckland" })).toBeVisible();
    const latitude = page.getByRole("textbox", { name: "Latitude" });
    await expect(latitude).toHaveValue("-41.2865");
    const pin = map.getByRole("button", { name: "Location on the map" });
    // Waits until the map has stopped moving.
    let last = "";
    const rests = async () => {
      const [at, all] = await Promise.all([pin.boundingBox(), map.boundingBox()]);
      if (at === null || all === null) return false;
      const isInMiddle = Math.abs(at.x + at.width / 2 - (all.x + all.width / 2)) < 2;
      return isInMiddle && last === (last = JSON.stringify(at));
    };
    // The bar with the buttons would cover it.
    await pin.evaluate((one: { scrollIntoView(options: object): void }) => one.scrollIntoView({ block: "center" }));
    await expect.poll(rests, { intervals: [300] }).toBe(true);
    const box = await pin.boundingBox();
    if (box === null) throw new Error("No pin");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 40, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => Number(await latitude.inputValue())).toBeLessThan(-41.2865);
    await expect(page.getByText("is set when you save")).toBeVisible();
  },
);

test(
  "DB-03 a map marker lists its locations, which can be opened, without axe violations",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    await page.goto("/dashboard");
    const map = page.getByRole("region", { name: "Map", exact: true });
    await expect(map.getByRole("application")).toBeVisible();
    const group = map.getByRole("button", { name: /^\d+ locations/ }).first();
    await group.focus();
    await page.keyboard.press("Enter");
    const list = page.getByRole("dialog");
    await expect(list.getByRole("link").first()).toBeVisible();
    expect(await findPageFaults(page)).toEqual([]);
    await list.getByRole("link").first().click();
    await expect(page).toHaveURL(/\/location\/[\da-f-]{36}\/general$/);
  },
);

test(
  "LO-01 an address and tags for two locations at once, an undo, and their deletion",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const name = newName("Kiosk");
    for (const n of [1, 2]) await api.post("/api/measurement", { name: `${name} ${n}`, owner });
    await signIn(page, "customer");
    await page.goto(`/location?name=${encodeURIComponent(name)}`);
    const choose = async (action: string) => {
      for (const n of [1, 2]) await page.getByRole("checkbox", { name: `Select ${name} ${n}` }).check();
      await page.getByRole("toolbar", { name: "Selection" }).getByRole("button", { name: action, exact: true }).click();
      return page.getByRole("dialog");
    };
    const dialog = await choose("Set address");
    await dialog.getByRole("combobox", { name: "Address", exact: true }).fill("Wellington");
    await page
      .getByRole("option", { name: /Wellington.*New Zealand/ })
      .first()
      .click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByText("Successfully updated all 2 locations!")).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("cell", { name: /Wellington/ })).toHaveCount(2);
    const tags = await choose("Edit tags");
    await tags.getByRole("radio", { name: "Add" }).check();
    await tags.getByRole("combobox", { name: "Tags" }).fill(`${name} pilot`);
    await expect(tags.getByRole("row", { name: `${name} 1 - ${name} pilot` })).toBeVisible();
    expect(await findPageFaults(page)).toEqual([]);
    await tags.getByRole("button", { name: "Save" }).click();
    await expect(tags.getByText("Successfully updated all 2 locations!")).toBeVisible();
    await tags.getByRole("button", { name: "Close" }).click();
    await (await openFilters(page)).getByRole("combobox", { name: "Tags" }).click();
    await page.getByRole("option", { name: `${name} pilot 2 locations` }).click();
    await expect(page.getByRole("button", { name: `Remove filter Tags: ${name} pilot` })).toBeVisible();
    await expect(page.getByRole("checkbox", { name: /^Select .* \d$/ })).toHaveCount(2);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("Change undone for 2 locations", { exact: true })).toBeVisible();
    await expect(page.getByText("No locations found", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: `Remove filter Tags: ${name} pilot` }).click();
    await (await choose("Delete")).getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("dialog").getByText("Successfully deleted 2 location(s)!")).toBeVisible();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("No locations found", { exact: true })).toBeVisible();
  },
);

test(
  "LO-03 LO-05 the menu of a location, and its counts from the list in a tab of their own",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    // Finds a location with a licensed sensor, whatever locations other tests have created.
    const api = await apiAs("customer");
    const { objects } = await api.get<{ objects: { measurement: { name: string } | null }[] }>(
      "/api/v2/sensor?monitored=true&sortBy=_id",
    );
    const name = objects.flatMap(({ measurement }) => measurement?.name ?? [])[0] ?? "";
    expect(name).not.toBe("");
    await signIn(page, "customer");
    await page.goto(`/location?name=${encodeURIComponent(name)}`);
    const link = page.getByRole("link", { name: /^Open analytics of / }).first();
    await expect(link).toHaveAttribute("target", "_blank");
    await expect(link).toHaveAttribute("href", /^\/location\/[\da-f-]{36}\/counts$/);
    await page.getByRole("row").filter({ hasText: name }).first().click();
    await expect(page).toHaveURL(/\/general\?/);
    await page.getByRole("link", { name: "Monitoring", exact: true }).click();
    await expect(page.getByRole("region", { name: "Monitoring", exact: true })).toBeVisible();
    await page.getByRole("link", { name: "Occupancy based apps" }).click();
    await expect(page.getByRole("region", { name: "Occupancy", exact: true })).toBeVisible();
  },
);

test("LO-01 opening hours for all shops with a tag take at most 7 clicks, and are undone with one", async ({
  page,
  signIn,
  apiAs,
}) => {
  const api = await apiAs("customer");
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const tag = newName("kiosk");
  for (const name of ["North", "South"])
    await api.post("/api/measurement", { name: newName(name), owner, tags: [tag] });
  await api.post("/api/measurement", { name: newName("Apart"), owner });
  const hours = async () => {
    const query = `tag=${encodeURIComponent(tag)}`;
    const { objects } = await api.get<{ objects: { openingHours: { week: { mo: unknown } } | null }[] }>(
      `/api/v2/measurement?${query}`,
    );
    return objects.map(({ openingHours }) => openingHours?.week.mo ?? null);
  };
  await signIn(page, "customer");
  await page.goto("/location");
  const act = actions(page);
  const tags = page.getByRole("combobox", { name: "Tags" }).or(page.getByRole("textbox", { name: "Tags" }));
  await act.click(page.getByRole("button", { name: /^Filters/ }));
  await act.click(tags);
  await page.keyboard.type(tag);
  await page.keyboard.press("Enter");
  await expect(page.getByText("1–2 of 2")).toBeVisible();
  await act.click(page.getByRole("checkbox", { name: "Select page" }).or(page.getByRole("checkbox").first()).first());
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await act.click(bar.getByRole("button", { name: "Opening hours" }));
  const dialog = page.getByRole("dialog", { name: "Opening hours of 2 locations" });
  await act.click(dialog.getByRole("textbox", { name: "Monday, opens", exact: true }));
  await page.keyboard.type("8");
  expect(await findPageFaults(page, "everything")).toEqual([]);
  await act.click(dialog.getByRole("button", { name: "Save" }));
  await act.click(dialog.getByRole("button", { name: "Close" }));
  expect(act.count()).toBeLessThanOrEqual(7);
  const opensAtEight = [{ from: "08:00", to: "18:00" }];
  expect(await hours()).toEqual([opensAtEight, opensAtEight]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Change undone for 2 locations")).toBeVisible();
  expect(await hours()).toEqual([null, null]);
});

test(
  "the editor of opening hours is accessible and fits on a phone",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const openingHours = {
      week: { fr: [{ from: "20:00", to: "02:00" }], su: [{ from: "00:00", to: "24:00" }] },
      exceptions: [{ date: "2099-12-24", hours: null, name: "Christmas Eve" }],
      holidays: { country: "DE", region: "BE", closed: true },
    };
    const { _id } = await api.post<{ _id: string }>("/api/measurement", {
      name: newName("Night"),
      owner,
      openingHours,
    });
    await signIn(page, "customer");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/location/${_id}/general`);
    const card = page.getByRole("region", { name: "Opening hours", exact: true });
    await expect(card.getByText("ends on the next day", { exact: true })).toBeVisible();
    await expect(card.getByRole("combobox", { name: "Region" })).toHaveValue("Berlin");
    expect(await findPageFaults(page, "everything")).toEqual([]);
    await card.getByRole("textbox", { name: "Friday, closes", exact: true }).click();
    await page.keyboard.type("26");
    await page.keyboard.press("Tab");
    await expect(card.getByText("Times look like 09:30 or 24:00")).toBeVisible();
    expect(await findPageFaults(page, "everything")).toEqual([]);
  },
);
