// Tests the VPN tab of a sensor: connecting, opening the device page, coming back.

import type { Locator, Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { findFreePorts } from "./product.ts";
import { hasVpnOption, startSensor } from "./simulated-sensor.ts";
import { anotherBrowser, expect, newSensorId, test as base } from "./world.ts";

/** Starts the server with a simulated VPN server, which replaces that of the demo fleet. */
const test = base.extend<{ ports: { management: number; pages: number } }, { settings: Record<string, string> }>({
  settings: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from its parameter.
    async ({}, use) => {
      const [management = 0, pages = 0] = await findFreePorts(2);
      const server = { id: "e2e", name: "Harbour VPN", management: `simulated://127.0.0.1:${management}` };
      const VPN_SERVERS = JSON.stringify([{ ...server, baseUrl: `vpn.localhost:${pages}` }]);
      await use({ DEMO_SENSORS: "0", VPN_SERVERS });
    },
    { scope: "worker" },
  ],
  ports: async ({ settings }, use) => {
    const [, management, pages] = /127\.0\.0\.1:(\d+).*localhost:(\d+)/.exec(settings["VPN_SERVERS"] ?? "") ?? [];
    await use({ management: Number(management), pages: Number(pages) });
  },
});

const card = (page: Page) => page.getByRole("region", { name: "VPN" });
const timer = (page: Page) => card(page).getByRole("timer");

/** Advances the page's clock by a minute and stops it. Requests still work. */
const stopTime = async (page: Page) => page.clock.pauseAt((await page.evaluate<number>("Date.now()")) + 60_000);

/** Advances the page's clock in small steps until `seen` is visible, so that a countdown has just begun. */
async function passUntil(page: Page, seen: Locator): Promise<void> {
  const look = async () => {
    await page.clock.runFor(50);
    return seen.isVisible();
  };
  await expect.poll(look, { intervals: [50], timeout: 30_000 }).toBe(true);
}

test(
  "VP-01 opening the tab connects the sensor and opens its page in a new window",
  { tag: "@prove" },
  async ({ page, browser, apiAs, signIn, simulate, ports }) => {
    const api = await apiAs("customer");
    const vpn = ["--vpn-management-port", String(ports.management), "--vpn-port", String(ports.pages)];
    const { id } = await startSensor(api, simulate, "APS", { isReady: hasVpnOption, args: vpn });
    const link = `http://hmi-${id.toLowerCase().replaceAll(":", "")}.vpn.localhost:${ports.pages}/`;
    await signIn(page, "customer");
    await page.clock.install();
    await stopTime(page);
    await page.goto(`/sensor/${id}/vpn`);
    await passUntil(page, timer(page));
    await expect(page).toHaveURL(`/sensor/aps/${id}/vpn`);
    await expect(card(page).getByText("Connected", { exact: true })).toBeVisible();
    await expect(timer(page)).toHaveText("The configuration page opens in 5 s");
    await expect(card(page).getByRole("link", { name: "Open configuration page" })).toHaveAttribute("href", link);
    await expect(card(page).getByText("Harbour VPN")).toBeVisible();
    const arrived = page.waitForEvent("popup");
    await page.clock.runFor(5000);
    const apart = await arrived;
    await apart.waitForURL(link);
    await expect(apart.locator("body")).not.toBeEmpty();
    expect(await apart.evaluate("window.opener")).toBeNull();
    await expect(card(page).getByRole("status")).toHaveText(/opened in a new window\.$/);
    await apart.close();
    await page.clock.resume();
    expect(await findPageFaults(page)).toEqual([]);

    // Read-only users see the countdown, too, and can cancel it.
    const other = await anotherBrowser(browser);
    await signIn(other, "readonly");
    await other.clock.install();
    await stopTime(other);
    await other.goto(`/sensor/aps/${id}/vpn`);
    await passUntil(other, timer(other));
    await card(other).getByRole("button", { name: "Cancel" }).click();
    await expect(timer(other)).toHaveCount(0);
    await other.clock.resume();

    // Returning to the tab opens no second window.
    await page.getByRole("navigation", { name: id }).getByRole("link", { name: "General" }).click();
    await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
    await page.getByRole("navigation", { name: id }).getByRole("link", { name: "VPN" }).click();
    await expect(card(page).getByRole("link", { name: "Open configuration page" })).toBeVisible();
    await expect(timer(page)).toHaveCount(0);

    await api.put(`/api/sensor/${id}`, { connectToVPN: false });
    await expect(card(page).getByText("Sleeping", { exact: true })).toBeVisible();
    expect(await findPageFaults(page)).toEqual([]);
    await expect(card(other).getByText("To connect this sensor, you need permission to edit it.")).toBeVisible();
    await expect(card(other).getByRole("button", { name: "Connect" })).toHaveCount(0);
    await stopTime(page);
    await card(page).getByRole("button", { name: "Connect" }).click();
    await passUntil(page, card(page).getByText("Pending", { exact: true }));
    await passUntil(page, timer(page));
    await card(page).getByRole("button", { name: "Cancel" }).click();
    await expect(timer(page)).toHaveCount(0);
    await expect(card(page).getByRole("link", { name: "Open configuration page" })).toBeFocused();
    await other.close();
  },
);

test(
  "VP-01 the tab of a sensor without the VPN option leads to General",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
    const id = newSensorId();
    await api.post("/api/sensor", { _id: id, owner, type: "APS" });
    await signIn(page, "customer");
    await page.goto(`/sensor/aps/${id}/vpn`);
    await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
    await expect(page.getByRole("navigation", { name: id }).getByRole("link", { name: "VPN" })).toHaveAttribute(
      "aria-description",
      "Enable the VPN option on your sensor to activate this option",
    );
  },
);
