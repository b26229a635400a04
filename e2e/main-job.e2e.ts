// The main job of the product, end to end: a token, a real sensor with it, online without reload, a place, counts, the day's sum; also after a power cut.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import type { Locator } from "@playwright/test";
import { pick } from "./pick.ts";
import { expect, newName, newSensorId, test } from "./world.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const REAL_COUNTS = path.join(ROOT, "../shared/data/CalIt2.data");

/** Runs the simulator as the command line does; answers how to end it, and what it said when it ended by itself. */
function simulate(args: string[]): { stop: () => void; ended: Promise<{ code: number | null; says: string }> } {
  const child = spawn(process.execPath, [path.join(ROOT, "simulator/src/main.ts"), ...args], {
    cwd: ROOT,
    stdio: ["pipe", "pipe", "pipe"],
  });
  let says = "";
  child.stdout.on("data", (text: Buffer) => (says += text.toString()));
  child.stderr.on("data", (text: Buffer) => (says += text.toString()));
  const ended = new Promise<{ code: number | null; says: string }>((resolve) =>
    child.on("exit", (code) => resolve({ code, says })),
  );
  return { stop: () => child.kill("SIGTERM"), ended };
}

const broker = () => `mqtt://127.0.0.1:${process.env["E2E_MQTT_PORT"]}`;

async function choose(box: Locator, option: string): Promise<void> {
  await box.click();
  await pick(box, option);
}

test("DE-01 DE-02 IT-02 a token made in the console brings a sensor online, places it, and its counts become the day's sum", async ({
  page,
  apiAs,
  signIn,
  baseURL,
}) => {
  const tokenName = newName("Entrance roll-in");
  const id = newSensorId();
  const api = await apiAs("customer");
  await signIn(page, "customer");

  await page.goto("/init-token/new");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(tokenName);
  await choose(dialog.getByRole("combobox", { name: "Owner" }), "Harbour Stores");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog).toBeHidden();
  const tokens = await api.get<{ name: string; token: string }[]>(
    `/api/init_token?name=${encodeURIComponent(tokenName)}`,
  );
  const token = tokens.find(({ name }) => name === tokenName)?.token ?? "";

  await page.goto(`/sensor?sensorID=${id}`);
  await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
  const sensor = simulate([
    "one",
    "--id",
    id,
    "--type",
    "APS",
    "--token",
    token,
    "--url",
    baseURL ?? "",
    "--mqtt",
    broker(),
    // Some people come on each day of the week.
    "--kind",
    "station",
    // All of yesterday at any hour of today, and one of the two days may have 25.
    "--history",
    "50h",
    "--exit-with-parent",
  ]);
  try {
    // Nobody reloads: the row comes by itself and turns online.
    const row = page.getByRole("row", { name: new RegExp(id) });
    await expect(row).toBeVisible({ timeout: 20_000 });
    await expect(row).toContainText("Connected", { timeout: 20_000 });

    await row.click();
    await expect(page.getByRole("heading", { level: 1, name: id })).toBeVisible();
    await choose(page.getByRole("combobox", { name: "Location" }), "Harbour Stores, Main entrance");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("button", { name: "Save" })).toBeHidden();
    const saved = await api.get<{ measurement: { _id: string; name: string } }>(`/api/sensor/${id}`);
    expect(saved.measurement.name).toBe("Harbour Stores, Main entrance");

    // What the page shows is what the data service knows, and both rise as the back-fill arrives.
    type Bucket = { startUTC: string; endUTC: string; data: { in: number; out: number }; completeness: number };
    const sumOf = async (preset: string) =>
      (await api.get<Bucket[]>(`/data/v2/aggregate/json?filter=sens:${id}:counting&acc=day&preset=${preset}`))[0];
    let yesterday: Bucket | undefined;
    await expect
      .poll(
        async () => {
          yesterday = await sumOf("yesterday");
          return yesterday?.completeness;
        },
        { timeout: 30_000 },
      )
      .toBe(1);
    expect(yesterday?.data.in).toBeGreaterThan(0);
    // By its bounds: midnight may come between the two questions.
    const raw = await api.get<{ data: { in: number } }[]>(
      `/data/v2/download/json?filter=sens:${id}:counting&from=${yesterday?.startUTC}&to=${yesterday?.endUTC}`,
    );
    expect(raw.reduce((sum, point) => sum + point.data.in, 0)).toBe(yesterday?.data.in);
    const card = page.getByRole("region", { name: /People today/ });
    await expect(card).toContainText("In");
    await expect
      .poll(
        async () => (await card.innerText()).replaceAll(",", "").includes(String((await sumOf("today"))?.data.in)),
        { timeout: 20_000 },
      )
      .toBe(true);
  } finally {
    sensor.stop();
    await sensor.ended;
  }
  // It said goodbye: that counts at once, though the state stays "Connected" until the timeout since its last contact.
  type Presence = { scomState: { isConnected: boolean } };
  await expect
    .poll(async () => (await api.get<Presence>(`/api/sensor/${id}`)).scomState.isConnected, { timeout: 20_000 })
    .toBe(false);
});

test("DS-01 a year of counts replayed out of order, in halves and twice reads back to the person", async ({
  apiAs,
  baseURL,
}) => {
  test.skip(
    !existsSync(REAL_COUNTS),
    "the real counts are not beside this clone; the generated ones are tested with the simulator and the server",
  );
  test.setTimeout(180_000);
  const api = await apiAs("support");
  const me = await api.get<{ _id: string }>("/api/auth/user");
  const place = await api.post<{ _id: string; location: { timezone: string } }>("/api/measurement", {
    name: newName("CalIt2"),
    owner: me._id,
    location: { geo: { type: "Point", coordinates: [-117.84, 33.64] } },
  });
  expect(place.location.timezone).toBe("America/Los_Angeles");
  const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("CalIt2"), owner: me._id });
  const id = newSensorId();
  const state = path.join(process.env["E2E_DATA_DIR"] ?? "", `replay-${id.replaceAll(":", "")}`);
  const connection = [
    "--sensor",
    id,
    "--token",
    token,
    "--url",
    baseURL ?? "",
    "--mqtt",
    broker(),
    "--state-dir",
    state,
  ];
  for (const how of [
    ["--half", "second"],
    ["--order", "shuffle"],
    ["--order", "reverse", "--twice"],
  ]) {
    const { code, says } = await simulate(["replay", REAL_COUNTS, ...connection, ...how]).ended;
    expect(code, says).toBe(0);
  }
  await api.put(`/api/sensor/${id}`, { measID: place._id });
  type Bucket = { start: string; data: { in: number; out: number }; completeness: number };
  const range = "from=2005-07-24T07:00:00Z&to=2005-11-06T08:00:00Z";
  const days = await api.get<Bucket[]>(`/data/v2/aggregate/json?filter=meas:${place._id}:counting&acc=day&${range}`);
  expect(days).toHaveLength(105);
  expect(days.reduce((sum, day) => sum + day.data.in, 0)).toBe(19_597);
  expect(days.reduce((sum, day) => sum + day.data.out, 0)).toBe(18_837);
  const night = await api.get<Bucket[]>(
    `/data/v2/aggregate/json?filter=meas:${place._id}:counting&acc=hour&from=2005-10-30T07:00:00Z&to=2005-10-31T08:00:00Z`,
  );
  expect(night).toHaveLength(25);
  expect(night.map((hour) => hour.completeness).filter((part) => part < 1)).toEqual([0]);
});
