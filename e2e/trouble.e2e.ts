// Tests that finding problems of a fleet takes few clicks: disconnected sensors, firmware progress.

import type { Locator, Page } from "@playwright/test";
import { pick } from "./pick.ts";
import { type Api, expect, newName, newSensorId, test } from "./world.ts";

function clicksOf() {
  let clicks = 0;
  return {
    clicks: () => clicks,
    click: async (what: Locator) => {
      clicks += 1;
      await what.click();
    },
    pick: async (what: Locator, words: string) => {
      clicks += 2;
      await pick(what, words);
    },
  };
}

const table = (page: Page) => page.getByRole("table", { name: "Sensors" });

test(
  "SE-01 SE-12 sensors in trouble are two clicks away from the dashboard, with their number",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const me = await api.get<{ _id: string }>("/api/auth/user");
    // Tests only the preset for sensors that never connected, as an example of all presets.
    await api.post("/api/sensor", { _id: newSensorId(), owner: me._id, type: "ZOD" });
    await signIn(page, "customer");
    await page.goto("/dashboard");
    const someone = clicksOf();
    await someone.click(page.getByRole("navigation").getByRole("link", { name: "Sensors", exact: true }).first());
    await someone.click(
      page.getByRole("toolbar", { name: "Problems" }).getByRole("link", { name: /^Never connected [\d,]+$/ }),
    );
    await expect(page).toHaveURL("/sensor?lastContact=never");
    await expect(page.getByRole("button", { name: "Remove filter Last contact: Never connected" })).toBeVisible();
    await expect(table(page).getByText("Never connected").first()).toBeVisible();
    expect(someone.clicks()).toBeLessThanOrEqual(2);
  },
);

async function fiftySensors(api: Api): Promise<string> {
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const group = newName("fifty");
  const ids = Array.from({ length: 50 }, newSensorId);
  for (const id of ids) await api.post("/api/sensor", { _id: id, owner: me._id, type: "APS" });
  await api.put("/api/v2/sensor/batch-update", { sensorIDs: ids, changes: { groups: [group] } });
  return group;
}

test(
  "SE-03 SE-09 firmware on fifty sensors takes eight clicks and can be undone before it starts",
  { tag: "@prove" },
  async ({ page, signIn, apiAs }) => {
    const api = await apiAs("customer");
    const group = await fiftySensors(api);
    const all = await api.get<{ _id: string; type: string; name: string }[]>("/api/artifact");
    const { _id: id, name } = all.find(({ type }) => type === "APS") ?? { _id: "", name: "" };
    await signIn(page, "customer");
    await page.goto(`/sensor?groups=${encodeURIComponent(group)}`);
    const someone = clicksOf();
    await someone.click(page.getByRole("checkbox", { name: "Select page" }));
    const bar = page.getByRole("toolbar", { name: "Selection" });
    await someone.click(bar.getByRole("button", { name: "Select all 50" }));
    await someone.click(bar.getByRole("button", { name: "Set firmware" }));
    const dialog = page.getByRole("dialog", { name: "Set firmware of 50 sensors" });
    await someone.pick(dialog.getByRole("combobox", { name: "Firmware" }), name);
    await someone.click(dialog.getByRole("button", { name: "Save" }));
    await expect(dialog).toContainText("Successfully updated all 50 sensor(s)!");
    await expect(dialog).toContainText("Installation started on 50 sensors");
    await someone.click(dialog.getByRole("link", { name: "Show progress" }));
    await expect(page).toHaveURL("/sensor?installation=waiting&installation=installing");
    expect(someone.clicks()).toBeLessThanOrEqual(8);
    await expect(dialog).toHaveCount(0);
    await expect(
      table(page)
        .getByText(new RegExp(`→ ${name.replaceAll(".", "\\.")} · `))
        .first(),
    ).toBeVisible();

    // The rollout page shows the same installations, and can cancel them.
    await page.goto(`/firmware/${id}/rollout`);
    await expect(page.getByRole("heading", { level: 1, name: `Rollout of APS ${name}` })).toBeVisible();
    const waiting = async () => (await api.get<{ waiting: number }>(`/api/artifact/${id}/rollout`)).waiting;
    expect(await waiting()).toBeGreaterThanOrEqual(50);
    await expect(page.getByRole("link", { name: new RegExp(`^Waiting`) })).toHaveAttribute(
      "href",
      `/sensor?artifactID=${id}&installation=waiting`,
    );
    await page.getByRole("button", { name: "Cancel waiting" }).click();
    const cancel = page.getByRole("dialog", { name: /^Cancel the installation on \d+ sensors$/ });
    await cancel.getByRole("button", { name: "Cancel installation" }).click();
    await expect(cancel).toContainText(/Successfully updated all \d+ sensor\(s\)!/);
    await cancel.getByRole("button", { name: "Close" }).click();
    const mine = `/api/v2/sensor?groups=${encodeURIComponent(group)}&artifactID=${id}&limit=1&includeTotals=true`;
    const among = async (word: string) => (await api.get<{ total: number }>(`${mine}&installation=${word}`)).total;
    await expect.poll(() => among("canceled")).toBe(50);
    expect(await among("waiting")).toBe(0);
  },
);
