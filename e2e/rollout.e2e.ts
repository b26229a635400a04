// A firmware for two hundred sensors from the list: all but two get it, one fails and says why, one is called back (SE-03, SE-09, FW-03).

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pick } from "./pick.ts";
import { type Api, expect, newName, newSensorId, test } from "./world.ts";

const simulator = join(import.meta.dirname, "../simulator/src/main.ts");
const installing = 198;
const newVersion = "1.19.0-rc.1";

const children: ChildProcess[] = [];
test.afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts simulated APS sensors that install fifty times as fast as real ones. */
function simulate(baseURL: string, token: string, more: string[]): ChildProcess {
  const broker = `mqtt://127.0.0.1:${process.env["E2E_MQTT_PORT"]}`;
  const args = [simulator, ...more, "--token", token, "--url", baseURL, "--mqtt", broker, "--hurry", "50"];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  children.push(child);
  return child;
}

type Me = { _id: string };
type Sensor = { scomState: { isConnected: boolean }; artifact: unknown };

const sensorsOf = (api: Api, owner: string) => api.get<string[]>(`/api/v2/sensor?onlyIDs=true&ownerID=${owner}`);

async function connectedOf(api: Api, group: string): Promise<number> {
  const page = await api.get<{ total: number }>(
    `/api/v2/sensor?limit=1&includeTotals=true&connected=connected&groups=${encodeURIComponent(group)}`,
  );
  return page.total;
}

test("SE-03 SE-09 FW-03 two hundred sensors get a firmware in one go, and the list tells when they run it", async ({
  page,
  apiAs,
  signIn,
  baseURL,
}) => {
  test.setTimeout(180_000);
  const api = await apiAs("customer");
  const me = await api.get<Me>("/api/auth/user");
  const before = new Set(await sensorsOf(api, me._id));
  const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("rollout"), owner: me._id });
  const [failing, away] = [newSensorId(), newSensorId()];
  simulate(baseURL ?? "", token, [
    "fleet",
    "--count",
    String(installing),
    "--types",
    "APS:1",
    // They are installed already: no one switches two hundred on at once.
    "--rate",
    "10",
    "--seed",
    newName("fleet"),
  ]);
  simulate(baseURL ?? "", token, ["one", "--id", failing, "--faults", "update-hash"]);
  const leaving = simulate(baseURL ?? "", token, ["one", "--id", away]);
  const mine = async () => (await sensorsOf(api, me._id)).filter((id) => !before.has(id));
  await expect.poll(async () => (await mine()).length, { timeout: 60_000 }).toBe(installing + 2);
  const group = newName("rollout");
  await api.put("/api/v2/sensor/batch-update", { sensorIDs: await mine(), changes: { groups: [group] } });
  await expect.poll(() => connectedOf(api, group), { timeout: 60_000 }).toBe(installing + 2);
  // It says goodbye: what is requested of it has to wait.
  leaving.kill("SIGTERM");
  const isThere = async () => (await api.get<Sensor>(`/api/sensor/${away}`)).scomState.isConnected;
  await expect.poll(isThere, { timeout: 30_000 }).toBe(false);

  await signIn(page, "customer");
  const list = `/sensor?groups=${encodeURIComponent(group)}`;
  await page.goto(list);
  await page.getByRole("checkbox", { name: "Select page" }).check();
  const bar = page.getByRole("toolbar", { name: "Selection" });
  await bar.getByRole("button", { name: "Select all 200" }).click();
  await bar.getByRole("button", { name: "Set firmware" }).click();
  const dialog = page.getByRole("dialog", { name: "Set firmware of 200 sensors" });
  await pick(dialog.getByRole("combobox", { name: "Firmware" }), newVersion);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toContainText("Successfully updated all 200 sensor(s)!");
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.goto(`${list}&infoSoftwareFirmwareVersion=${newVersion}`);
  // Nothing is reloaded: the rows come as the sensors report the version.
  await expect(page.getByText(`of ${installing}`, { exact: false })).toBeVisible({ timeout: 90_000 });

  const card = page.getByRole("region", { name: "Firmware installation" });
  await page.goto(`/sensor/aps/${failing}/firmware`);
  await expect(card.getByRole("status")).toHaveText(/^Failed/);
  await expect(card.getByText("HASH: SHA-256 differs")).toBeVisible();

  await page.goto(`/sensor/aps/${away}/firmware`);
  await expect(card).toBeVisible();
  await expect(card.getByRole("status")).toHaveText(/^Installing/);
  await card.getByRole("button", { name: "Cancel Installation" }).click();
  await expect(card.getByRole("status")).toHaveText(/^Canceled/);
  expect((await api.get<Sensor>(`/api/sensor/${away}`)).artifact).toBeNull();
  // The next test must not take them for sensors that answer.
  await api.put("/api/v2/sensor/batch-delete", { sensorIDs: await mine() });
});
