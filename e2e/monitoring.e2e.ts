// Tests the monitoring configuration, and finding and acknowledging the issues of the demo fleet.

import type { Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { openFilters } from "./filters.ts";
import { findSensorWithIssues } from "./issues.ts";
import { expectMessage } from "./messages.ts";
import { type Api, expect, newName, newSensorId, test } from "./world.ts";

type Made = { _id: string };

/** Creates a licensed APS at a new location without monitoring. */
async function licensedSensor(api: Api, support: Api): Promise<{ sensor: string; place: string; name: string }> {
  const { _id: owner } = await api.get<Made>("/api/auth/user");
  const name = newName("Watched");
  const { _id: place } = await api.post<Made>("/api/measurement", { name, owner });
  const sensor = newSensorId();
  await api.post("/api/sensor", { _id: sensor, type: "APS", owner });
  await support.put(`/api/sensor/${sensor}/licenses`, { monitoring: true });
  await api.put(`/api/sensor/${sensor}`, { measID: place });
  return { sensor, place, name };
}

const words: Record<string, string> = {
  connection: "Connection",
  plauzibilization: "Data plausibility",
  osd: "OSD",
  uptime: "Uptime",
  reboot: "Reboot",
  watchdog: "Watchdog",
};

const group = (page: Page, name: string) => page.getByRole("group", { name, exact: true });

test(
  "MO-01 SE-05 monitoring is switched on for a location, kept, and inherited by its sensor",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const { sensor, place, name } = await licensedSensor(await apiAs("customer"), await apiAs("support"));
    await signIn(page, "customer");
    await page.goto(`/location/${place}/monitoring`);
    const toggle = page.getByRole("switch", { name: "Monitoring", exact: true });
    await toggle.check();
    const figure = group(page, "Connection").getByRole("textbox", { name: "Warning threshold" });
    await figure.fill("0");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(group(page, "Connection")).toContainText("Threshold should be >=1 and <30");
    await expect(figure).toBeFocused();
    expect(await findPageFaults(page)).toEqual([]);
    await figure.fill("1");
    await page.getByRole("combobox", { name: "Additional e-mails" }).fill("front-desk@example.com");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expectMessage(page, "Saved");
    await page.reload();
    await expect(toggle).toBeChecked();
    await expect(page.getByText("front-desk@example.com")).toBeVisible();

    await page.goto(`/sensor/aps/${sensor}/monitoring`);
    const card = page.getByRole("region", { name: "Monitoring" });
    await expect(card).toContainText(`uses the settings of its location ${name}`);
    await expect(card).toContainText("On warning and error, to owners, to 1 more address");
    expect(await findPageFaults(page)).toEqual([]);
    await toggle.check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expectMessage(page, "Saved");
    await toggle.uncheck();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect(card).toContainText(`uses the settings of its location ${name}`);
  },
);

test(
  "MO-01 a click counts even if the error of a blurred field moves the clicked element",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const { place } = await licensedSensor(await apiAs("customer"), await apiAs("support"));
    await signIn(page, "customer");
    await page.goto(`/location/${place}/monitoring`);
    await page.getByRole("switch", { name: "Monitoring", exact: true }).check();
    const figure = group(page, "Connection").getByRole("textbox", { name: "Warning threshold" });
    const uptime = group(page, "Uptime").getByRole("switch", { name: "Enabled" });
    await uptime.scrollIntoViewIfNeeded();
    await figure.fill("0");
    // Presses for longer than a frame, as users do.
    await uptime.click({ delay: 150 });
    await expect(group(page, "Connection")).toContainText("Threshold should be >=1 and <30");
    await expect(uptime).not.toBeChecked();
  },
);

test("DB-02 MO-04 MO-05 an issue is found from the dashboard, viewed and acknowledged", async ({
  page,
  apiAs,
  signIn,
}) => {
  const { sens, measurement, issues } = await findSensorWithIssues(await apiAs("customer"));
  await signIn(page, "customer");
  const [first] = issues;
  const type = words[first?.issueType ?? ""] ?? "";
  const status = first?.issueStatus ?? "";
  const rows = page.getByRole("row", { name: new RegExp(`${type}.*${status}$`) });
  const log = `/location/${measurement._id}/issues`;

  await test.step("the dashboard counts it, and leads to the sensor's log", async () => {
    await page.goto("/dashboard");
    const table = page.getByRole("region", { name: "Sensors with issues", exact: true });
    const link = table.getByRole("link", { name: sens });
    await expect(table.getByRole("row").nth(1)).toBeVisible();
    await expect(async () => {
      if (!(await link.isVisible())) await table.getByRole("button", { name: "Next page" }).click({ timeout: 1000 });
      await expect(link).toBeVisible({ timeout: 1000 });
    }).toPass();
    await expect(table.getByRole("row", { name: new RegExp(sens) })).toContainText(`${type} · ${status}`);
    await link.click();
    await expect(page).toHaveURL(new RegExp(`/sensor/aps/${sens}/logs\\?issueType=.*&acknowledged=false$`));
    await expect(page.getByRole("link", { name: new RegExp(`^${issues.length} open issue`) })).toBeVisible();
    await expect(rows.first()).toBeVisible();
  });

  await test.step("the location's log is filtered, and its filters are in the address", async () => {
    await page.goto(log);
    expect(await findPageFaults(page)).toEqual([]);
    await openFilters(page);
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: status }).click();
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(/fromToDates=\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d&issueStatus=\w+$/);
    await expect(rows.first()).toBeVisible();
    await page.getByRole("button", { name: "Clear all" }).first().click();
    await expect(page).toHaveURL(log);
  });

  await test.step("one is acknowledged in its dialog, which has an address", async () => {
    await page.goto(`${log}?sensorIDs=${sens}&acknowledged=false&issueType=${first?.issueType}&issueStatus=${status}`);
    await rows.first().click();
    const dialog = page.getByRole("dialog", { name: `${type}: ${sens}` });
    await expect(dialog.getByRole("link", { name: sens })).toHaveAttribute("href", `/sensor/${sens}`);
    await expect(dialog.getByRole("figure")).toBeVisible();
    await expect(page).toHaveURL(/&issue=[\da-f-]{36}$/);
    expect(await findPageFaults(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Set acknowledged" }).click();
    await expect(dialog.getByText(/^By .* at /)).toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("No entries found", { exact: true })).toBeVisible();
  });

  await test.step("many are acknowledged at once; what was acknowledged before stays as it was", async () => {
    await page.goto(`${log}?sensorIDs=${sens}&acknowledged=true`);
    await expect(rows.first().getByRole("img", { name: "acknowledged" })).toBeVisible();
    await page
      .getByRole("checkbox", { name: `Select ${type}` })
      .first()
      .check();
    await page.getByRole("button", { name: "Set acknowledged" }).click();
    const batch = page.getByRole("dialog", { name: "Acknowledge 1 entry" });
    await batch.getByRole("button", { name: "Set acknowledged" }).click();
    await expect(batch.getByText("Successfully updated all 1 issue(s)!")).toBeVisible();
  });
});

test(
  "MO-02 MO-03 DB-03 a lens is covered: within a minute the log, the lists, the map and a mail say so",
  { tag: "@prove" },
  async ({ page, request, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<Made>("/api/auth/user");
    const recipient = `${newName("door")
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, "-")}@example.com`;
    const name = newName("Covered");
    const geo = { type: "Point", coordinates: [-149.57, -17.54] };
    const [monitored] = (
      await api.get<{ objects: { monitoringConfig: object | null }[] }>("/api/v2/measurement?limit=100")
    ).objects.filter(({ monitoringConfig }) => monitoringConfig !== null);
    const alert = { email: { onWarning: true, onError: true, toOwner: false, toOther: [recipient] } };
    const monitoringConfig = { ...monitored?.monitoringConfig, alert };
    const { _id: place } = await api.post<Made>("/api/measurement", {
      name,
      owner,
      location: { geo },
      monitoringConfig,
    });
    type Aps = Made & { issueStatus: string | null; measurement: Made | null; licenses: { monitoring: boolean } };
    let healthy: Aps | undefined;
    const look = async () => {
      const found = await api.get<{ objects: Aps[] }>(
        "/api/v2/sensor?sensorType=APS&connected=connected&monitored=true&limit=100",
      );
      healthy = found.objects.find(({ issueStatus, measurement }) => issueStatus === null && measurement !== null);
      return healthy !== undefined;
    };
    await expect.poll(look).toBe(true);
    const sensor = healthy?._id ?? "";
    const home = healthy?.measurement?._id ?? null;
    await api.put(`/api/sensor/${sensor}`, { measID: place });
    const fail = async (fault: string | null) =>
      expect((await request.post("/dev/fault", { data: { sensor, fault } })).ok()).toBe(true);
    try {
      await fail("covered-lens@0+60");
      // The sensor reports the covered lens after a minute.
      const statuses = async () =>
        (
          await api.get<{ objects: { data: { issueStatus: string } }[] }>(`/api/v2/issue?measID=${place}&issueType=osd`)
        ).objects.map(({ data }) => data.issueStatus);
      await expect.poll(statuses).toEqual(["Warning"]);
      await signIn(page, "customer");
      await page.goto(`/location/${place}/issues`);
      await expect(page.getByRole("row", { name: /The lens is covered/ })).toBeVisible();
      await page.goto(`/sensor?measID=${place}&issueStatus=Warning`);
      await expect(page.getByRole("row", { name: new RegExp(sensor) })).toBeVisible();
      await page.goto("/dashboard");
      const map = page.getByRole("region", { name: "Map", exact: true });
      await expect(map.getByRole("button", { name: `${name}, warning` })).toBeVisible();
      const mailed = async () => {
        const { mails } = (await (
          await request.get("/dev/mail", { headers: { accept: "application/json" } })
        ).json()) as { mails: string[] };
        const texts = await Promise.all(
          mails.slice(0, 10).map(async (one) => (await request.get(`/dev/mail/${one}`)).text()),
        );
        return texts.some((text) => text.includes(recipient) && text.includes(sensor));
      };
      await expect.poll(mailed).toBe(true);
    } finally {
      await fail(null);
      await api.put(`/api/sensor/${sensor}`, { measID: home });
    }
  },
);
