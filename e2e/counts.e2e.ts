// Tests that tasks with counts take few clicks: viewing yesterday, exporting last month, comparing, and the weekly report.

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { type Api, expect, test } from "./world.ts";

type Counts = { rows: { in: number | null; startUTC: string }[]; total: { in: number | null } };
type Place = { _id: string; name: string };

const places = "/api/v2/measurement?limit=1&name=Main+entrance";

function person(page: Page) {
  let clicks = 0;
  let shown = page;
  return {
    click: async (name: string, role: "link" | "button" | "combobox" | "option" = "button") => {
      clicks += 1;
      await shown.getByRole(role, { name, exact: true }).click();
    },
    openCounts: async ({ name }: Place) => {
      await page.goto(`/location?name=${encodeURIComponent(name)}`);
      clicks += 1;
      const opened = page.context().waitForEvent("page");
      await page.getByRole("link", { name: `Open analytics of ${name}` }).click();
      shown = await opened;
      await expect(shown.getByRole("group", { name: "Completeness" })).toBeVisible();
      return shown;
    },
    clicks: () => clicks,
  };
}

async function firstPlace(api: Api): Promise<Place> {
  const [place] = (await api.get<{ objects: Place[] }>(places)).objects;
  if (place === undefined) throw new Error("there is no location");
  return place;
}

test("LO-05 analytics opens in a new tab, where yesterday's counts are one click away", async ({
  page,
  signIn,
  apiAs,
}) => {
  const api = await apiAs("customer");
  const place = await firstPlace(api);
  await signIn(page, "customer");
  const someone = person(page);
  const counts = await someone.openCounts(place);
  await expect(page).toHaveURL(/\/location\?name=/);
  expect(counts).not.toBe(page);
  await someone.click("Previous");
  expect(someone.clicks()).toBeLessThanOrEqual(2);
  await expect(counts).toHaveURL(new RegExp(`/location/${place._id}/counts\\?range=yesterday$`));
  const shown = counts.getByRole("group", { name: "In", exact: true });
  // Sensors of the fleet may still be sending yesterday's data.
  await expect(async () => {
    const { total } = await api.get<Counts>(`/api/v2/counts?filter=meas:${place._id}&range=yesterday`);
    const words = total.in === null ? "–" : new Intl.NumberFormat("en").format(total.in);
    await expect(shown).toContainText(words, { timeout: 10_000 });
  }).toPass();
});

test(
  "last month is a file after four clicks, with the numbers that are shown",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const place = await firstPlace(api);
    await signIn(page, "customer");
    const someone = person(page);
    const counts = await someone.openCounts(place);
    await someone.click("Range", "combobox");
    await someone.click("Last month", "option");
    const coming = counts.waitForEvent("download");
    await someone.click("Download CSV", "link");
    const download = await coming;
    expect(someone.clicks()).toBeLessThanOrEqual(4);
    const range = new URL(counts.url()).searchParams.get("range") ?? "";
    expect(download.suggestedFilename()).toBe(`${place.name}_${range}_day.csv`);
    const lines = (await readFile(await download.path(), "utf8")).trim().split(/\r?\n/);
    const { rows } = await api.get<Counts>(`/api/v2/counts?filter=meas:${place._id}&range=${range}`);
    expect(lines[0]).toContain(place.name);
    expect(lines).toHaveLength(rows.length + 2);
  },
);

test(
  "LI-01 the server is kept informed of the counts that are on the screen, and of no others",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const { objects } = await api.get<{ objects: { _id: string }[] }>(
      "/api/v2/sensor?sensorType=APS&sortBy=_id&limit=1",
    );
    const sensor = objects[0]?._id ?? "";
    await signIn(page, "customer");
    const said: string[] = [];
    page.on("websocket", (socket) => socket.on("framesent", ({ payload }) => said.push(String(payload))));
    const watching = (measIDs: string[], sensorIDs: string[]) =>
      expect.poll(() => said.at(-1)).toBe(JSON.stringify({ watch: { measIDs, sensorIDs, any: false } }));
    await page.goto(`/sensor/aps/${sensor}/counts`);
    await watching([], [sensor]);
    await page.getByRole("link", { name: "Sensors" }).first().click();
    await watching([], []);
    const places = await api.get<{ objects: Place[] }>("/api/v2/measurement?limit=100");
    await page.goto("/location/counts");
    await expect(page.getByRole("row").nth(1)).toBeVisible();
    const rows = await page.getByRole("row").getByRole("link").allTextContents();
    const shown = places.objects.filter(({ name }) => rows.includes(name)).map(({ _id }) => _id);
    await watching(shown.toSorted(), []);
  },
);
