// Tests a rollout to two hundred sensors, which is started in the sensor list. One installation fails and shows its reason, and
// one is canceled (SE-03, SE-09, FW-03).

import { pick } from "./pick.ts";
import { type Api, expect, newName, newSensorId, test } from "./world.ts";

const installing = 198;
const newVersion = "1.19.0-rc.1";

/** Arguments for sensors that install fifty times as fast as real ones. */
const hurried = (token: string) => ["--token", token, "--hurry", "50"];

type Me = { _id: string };
type Sensor = { scomState: { isConnected: boolean }; artifact: unknown; artifactRunning: { _id: string } | null };

const sensorsOf = (api: Api, owner: string) => api.get<string[]>(`/api/v2/sensor?onlyIDs=true&ownerID=${owner}`);

async function connectedOf(api: Api, group: string): Promise<number> {
  const page = await api.get<{ total: number }>(
    `/api/v2/sensor?limit=1&includeTotals=true&connected=connected&groups=${encodeURIComponent(group)}`,
  );
  return page.total;
}

test(
  "SE-03 SE-09 FW-03 two hundred sensors get a firmware in one go, and the list tells when they run it",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, simulate }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const before = new Set(await sensorsOf(api, me._id));
    const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("rollout"), owner: me._id });
    const [failing, away] = [newSensorId(), newSensorId()];
    simulate(
      "fleet",
      ...hurried(token),
      "--count",
      String(installing),
      "--types",
      "APS:1",
      "--rate",
      "10",
      "--seed",
      newName("fleet"),
    );
    simulate("one", ...hurried(token), "--id", failing, "--faults", "update-hash");
    const leaving = simulate("one", ...hurried(token), "--id", away);
    const mine = async () => (await sensorsOf(api, me._id)).filter((id) => !before.has(id));
    await expect.poll(async () => (await mine()).length).toBe(installing + 2);
    const group = newName("rollout");
    await api.put("/api/v2/sensor/batch-update", { sensorIDs: await mine(), changes: { groups: [group] } });
    await expect.poll(() => connectedOf(api, group)).toBe(installing + 2);
    // Waits for the death message of the sensor, after which requests to the sensor must wait.
    leaving.kill("SIGTERM");
    const isThere = async () => (await api.get<Sensor>(`/api/sensor/${away}`)).scomState.isConnected;
    await expect.poll(isThere).toBe(false);

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
    await expect(page.getByText(`of ${installing}`, { exact: false })).toBeVisible();

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
    await api.put("/api/v2/sensor/batch-delete", { sensorIDs: await mine() });
  },
);

test(
  "SE-09 SE-03 FW-03 a paused rollout starts no installation until it is resumed",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, simulate }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const all = await api.get<{ _id: string; type: string; name: string }[]>("/api/artifact");
    const firmware = all.find(({ type, name }) => type === "APS" && name === newVersion)?._id ?? "";
    const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("pause"), owner: me._id });
    const [held, later] = [newSensorId(), newSensorId()];
    for (const _id of [held, later]) await api.post("/api/sensor", { _id, owner: me._id, type: "APS" });
    await api.put(`/api/sensor/${held}`, { artifact: firmware });

    await signIn(page, "customer");
    await page.goto(`/firmware/${firmware}/rollout`);
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    const pause = page.getByRole("dialog", { name: /^Pause the installation on \d+ sensors?$/ });
    await pause.getByRole("button", { name: "Pause installation" }).click();
    await expect(pause).toContainText(/Successfully updated/);
    await pause.getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("link", { name: /^Paused [1-9]/ })).toBeVisible();
    await expect(page.getByText(/^Not including .*paused\.$/)).toBeVisible();

    // Both sensors connect. When the one assigned after the pause has installed the firmware, the paused one has had enough
    // time, too.
    await api.put(`/api/sensor/${later}`, { artifact: firmware });
    for (const id of [held, later]) simulate("one", ...hurried(token), "--id", id);
    const runs = async (id: string) => (await api.get<Sensor>(`/api/sensor/${id}`)).artifactRunning?._id;
    await expect.poll(() => runs(later)).toBe(firmware);
    const isThere = async () => (await api.get<Sensor>(`/api/sensor/${held}`)).scomState.isConnected;
    await expect.poll(isThere).toBe(true);
    await page.goto(`/sensor?sensorID=${encodeURIComponent(held)}`);
    await expect(page.getByText(new RegExp(`→ ${newVersion.replaceAll(".", "\\.")} · Paused$`))).toBeVisible();
    await page.goto(`/sensor/aps/${held}/firmware`);
    const card = page.getByRole("region", { name: "Firmware installation" });
    await expect(card.getByRole("status")).toHaveText("Paused");

    await page.goto(`/firmware/${firmware}/rollout`);
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    const resume = page.getByRole("dialog", { name: /^Resume the installation on \d+ sensors?$/ });
    await resume.getByRole("button", { name: "Resume installation" }).click();
    await expect(resume).toContainText(/Successfully updated/);
    await resume.getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("button", { name: "Resume", exact: true })).toHaveAttribute("aria-disabled", "true");
    await expect.poll(() => runs(held)).toBe(firmware);
    await api.put("/api/v2/sensor/batch-delete", { sensorIDs: [held, later] });
  },
);
