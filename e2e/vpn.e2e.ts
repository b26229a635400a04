// The VPN tab of a sensor: asking it to connect, its own configuration page in a window of its own, and the way back.

import type { Page } from "@playwright/test";
import { faultsOf } from "./faults.ts";
import { freePorts } from "./product.ts";
import { anotherBrowser, type Api, expect, newName, newSensorId, type Simulate, test as base } from "./world.ts";

/** A product with a simulated VPN server; the sensors of the demo would bring another one along. */
const test = base.extend<{ ports: { management: number; pages: number } }, { settings: Record<string, string> }>({
  settings: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what a fixture needs from its parameter.
    async ({}, use) => {
      const [management = 0, pages = 0] = await freePorts(2);
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

type Made = { _id: string; token: string };

/** An APS that is online and says that it has the VPN option. */
async function vpnSensor(api: Api, simulate: Simulate, ports: { management: number; pages: number }): Promise<string> {
  const { _id: owner } = await api.get<Made>("/api/auth/user");
  const { token } = await api.post<Made>("/api/init_token", { name: newName("VPN"), owner });
  const id = newSensorId();
  const vpn = ["--vpn-management-port", String(ports.management), "--vpn-port", String(ports.pages)];
  simulate("one", "--id", id, "--type", "APS", "--token", token, ...vpn);
  await expect.poll(() => api.status(`/api/sensor/${id}`), { timeout: 30_000 }).toBe(200);
  const hasOption = async () => (await api.get<{ vpn: object | null }>(`/api/sensor/${id}`)).vpn !== null;
  await expect.poll(hasOption, { timeout: 30_000 }).toBe(true);
  return id;
}

const card = (page: Page) => page.getByRole("region", { name: "VPN" });

test("VP-01 entering the tab brings the sensor into the VPN, and its own page into a window of its own; it sleeps, and is asked once more", async ({
  page,
  browser,
  apiAs,
  signIn,
  simulate,
  ports,
}) => {
  test.setTimeout(120_000);
  const api = await apiAs("customer");
  const id = await vpnSensor(api, simulate, ports);
  const link = `http://hmi-${id.toLowerCase().replaceAll(":", "")}.vpn.localhost:${ports.pages}/`;
  await signIn(page, "customer");
  const arrived = page.waitForEvent("popup");
  await page.goto(`/sensor/${id}/vpn`);
  await expect(page).toHaveURL(`/sensor/aps/${id}/vpn`);
  await expect(card(page).getByText("Connected", { exact: true })).toBeVisible();
  await expect(card(page).getByRole("timer")).toHaveText(/^The configuration page opens in [1-5] s$/);
  await expect(card(page).getByRole("link", { name: "Open configuration page" })).toHaveAttribute("href", link);
  await expect(card(page).getByText("Harbour VPN")).toBeVisible();
  expect(await faultsOf(page)).toEqual([]);
  const apart = await arrived;
  await apart.waitForURL(link);
  await expect(apart.locator("body")).not.toBeEmpty();
  expect(await apart.evaluate("window.opener")).toBeNull();
  await expect(card(page).getByRole("status")).toHaveText(/opened in a new window\.$/);
  await apart.close();

  // Who only looks sees it, too, and may say no to the window.
  const other = await anotherBrowser(browser);
  await signIn(other, "readonly");
  await other.goto(`/sensor/aps/${id}/vpn`);
  await card(other).getByRole("button", { name: "Cancel" }).click();
  await expect(card(other).getByRole("timer")).toHaveCount(0);

  // Back on the tab there is no second window for the same connection.
  await page.getByRole("navigation", { name: id }).getByRole("link", { name: "General" }).click();
  await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
  await page.getByRole("navigation", { name: id }).getByRole("link", { name: "VPN" }).click();
  await expect(card(page).getByRole("link", { name: "Open configuration page" })).toBeVisible();
  await expect(card(page).getByRole("timer")).toHaveCount(0);

  await api.put(`/api/sensor/${id}`, { connectToVPN: false });
  await expect(card(page).getByText("Sleeping", { exact: true })).toBeVisible();
  expect(await faultsOf(page)).toEqual([]);
  await expect(card(other).getByText("Only people who may edit this sensor")).toBeVisible();
  await expect(card(other).getByRole("button", { name: "Connect" })).toHaveCount(0);
  await card(page).getByRole("button", { name: "Connect" }).click();
  await expect(card(page).getByText("Pending", { exact: true })).toBeVisible();
  await expect(card(page).getByRole("timer")).toBeVisible();
  await card(page).getByRole("button", { name: "Cancel" }).click();
  await expect(card(page).getByRole("timer")).toHaveCount(0);
  await expect(card(page).getByRole("link", { name: "Open configuration page" })).toBeFocused();
  await other.close();
});

test("VP-01 the tab of a sensor without the VPN option leads to General", async ({ page, apiAs, signIn }) => {
  const api = await apiAs("customer");
  const { _id: owner } = await api.get<Made>("/api/auth/user");
  const id = newSensorId();
  await api.post("/api/sensor", { _id: id, owner, type: "APS" });
  await signIn(page, "customer");
  await page.goto(`/sensor/aps/${id}/vpn`);
  await expect(page).toHaveURL(`/sensor/aps/${id}/general`);
  await expect(page.getByRole("navigation", { name: id }).getByRole("link", { name: "VPN" })).toHaveAttribute(
    "aria-description",
    "Enable the VPN option on your sensor to activate this option",
  );
});
