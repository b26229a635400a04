// Tests the main workflow from init token to daily sum. The sensor's presence must update without a reload. Also tests that
// replayed counts are displayed correctly.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Locator, Page } from "@playwright/test";
import { compareStorage } from "./kept.ts";
import { pick } from "./pick.ts";
import { expect, newName, newSensorId, test } from "./world.ts";

const ROOT = path.resolve(import.meta.dirname, "..");
const REAL_COUNTS = path.join(ROOT, "../shared/data/CalIt2.data");

/** Runs the simulator. `ended` resolves with its exit code and output. */
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

/** Counts that an intact sensor must report between two instants, according to the simulator's ground truth. */
async function seenBetween(file: string, { from, to }: { from: string; to: string }) {
  const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
  type Row = { s: number; e: number; seenIn: number; seenOut: number };
  const rows = lines.map((line) => JSON.parse(line) as Row);
  const within = rows.filter(({ s, e }) => s >= Date.parse(from) && e <= Date.parse(to));
  const sum = (way: "seenIn" | "seenOut") => within.reduce((all, row) => all + row[way], 0);
  return { in: sum("seenIn"), out: sum("seenOut") };
}

async function choose(box: Locator, option: string): Promise<void> {
  await box.click();
  await pick(box, option);
}

test("DE-01 DE-02 IT-02 a token brings a sensor online, and its counts become the day's sum", async ({
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
  await expect(dialog.getByRole("combobox", { name: "Owner" })).toHaveValue("Harbour Stores");
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(dialog).toBeHidden();
  const tokens = await api.get<{ name: string; token: string }[]>(
    `/api/init_token?name=${encodeURIComponent(tokenName)}`,
  );
  const token = tokens.find(({ name }) => name === tokenName)?.token ?? "";

  await page.goto(`/sensor?sensorID=${id}`);
  await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
  const truthFile = path.join(process.env["E2E_DATA_DIR"] ?? "", `truth-${id.replaceAll(":", "")}`);
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
    // The site is open every day.
    "--kind",
    "station",
    // Covers all of yesterday at any time of day, because a day may have 25 hours.
    "--history",
    "50h",
    "--truth",
    truthFile,
    "--exit-with-parent",
  ]);
  try {
    const row = page.getByRole("row", { name: new RegExp(id) });
    await expect(row).toBeVisible();
    await expect(row).toContainText("Connected");

    await row.click();
    await expect(page.getByRole("heading", { level: 1, name: id })).toBeVisible();
    await choose(page.getByRole("combobox", { name: "Location" }), "Harbour Stores, Main entrance");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("button", { name: "Save" })).toBeHidden();
    const saved = await api.get<{ measurement: { _id: string; name: string } }>(`/api/sensor/${id}`);
    expect(saved.measurement.name).toBe("Harbour Stores, Main entrance");

    // The page must show the same counts as the data service. Both rise while back-fill arrives.
    type Bucket = { startUTC: string; endUTC: string; data: { in: number; out: number }; completeness: number };
    const sumOf = async (preset: string) =>
      (await api.get<Bucket[]>(`/data/v2/aggregate/json?filter=sens:${id}:counting&acc=day&preset=${preset}`))[0];
    let yesterday: Bucket | undefined;
    await expect
      .poll(async () => {
        yesterday = await sumOf("yesterday");
        return yesterday?.completeness;
      })
      .toBe(1);
    // Compares between two instants, because midnight may pass meanwhile.
    const bounds = { from: yesterday?.startUTC ?? "", to: yesterday?.endUTC ?? "" };
    const passed = await seenBetween(truthFile, bounds);
    expect(passed.in).toBeGreaterThan(0);
    expect(yesterday?.data).toEqual(passed);
    const raw = await api.get<{ data: { in: number; out: number } }[]>(
      `/data/v2/download/json?filter=sens:${id}:counting&from=${bounds.from}&to=${bounds.to}`,
    );
    const sum = (way: "in" | "out") => raw.reduce((all, point) => all + point.data[way], 0);
    expect({ in: sum("in"), out: sum("out") }).toEqual(passed);
    const figures = page.getByRole("region", { name: /People today/ }).getByRole("definition");
    await expect(async () => {
      const today = await sumOf("today");
      const now = await seenBetween(truthFile, { from: today?.startUTC ?? "", to: today?.endUTC ?? "" });
      const shown = (await figures.allInnerTexts()).slice(0, 2).map((text) => Number(text.replaceAll(",", "")));
      expect({ shown, known: today?.data }).toEqual({ shown: [now.in, now.out], known: now });
    }).toPass();
  } finally {
    sensor.stop();
    await sensor.ended;
  }
  expect((await compareStorage(page)).unlisted).toEqual([]);
  // `isConnected` changes with the death message, although the displayed state stays "Connected" until the timeout.
  type Presence = { scomState: { isConnected: boolean } };
  await expect.poll(async () => (await api.get<Presence>(`/api/sensor/${id}`)).scomState.isConnected).toBe(false);
});

/** Half-hour counts from 24 July to 5 November 2005. No two days are alike. */
function madeUpCounts(): string {
  const lines: string[] = [];
  for (let day = 0; day < 105; day += 1)
    for (let half = 0; half < 48; half += 1) {
      const [year = "", month = "", date = ""] = new Date(Date.UTC(2005, 6, 24 + day)).toISOString().split(/[-T]/);
      const time = `${String(half >> 1).padStart(2, "0")}:${half % 2 ? "30" : "00"}:00`;
      const at = `${month}/${date}/${year.slice(2)},${time}`;
      lines.push(`7,${at},${(day * 5 + half) % 9}`, `9,${at},${(day * 7 + half * 3) % 11}`);
    }
  return `${lines.join("\n")}\n`;
}

/** Expected daily counts, computed only from the file. */
function peopleByDay(text: string): Map<string, { in: number; out: number }> {
  const days = new Map<string, { in: number; out: number }>();
  for (const [, flow, month, date, year, count] of text.matchAll(/^([79]),(\d\d)\/(\d\d)\/(\d\d),[\d:]+,(\d+)/gm)) {
    const name = `20${year}-${month}-${date}`;
    const day = days.get(name) ?? { in: 0, out: 0 };
    day[flow === "9" ? "in" : "out"] += Number(count);
    days.set(name, day);
  }
  return days;
}

type Sum = { in: number; out: number };

/** Counts grouped by `keyOf(date, hour)`, in local time. Sums are in order of time. */
function peopleBy(text: string, keyOf: (date: Date, hour: string) => string): Sum[] {
  const groups = new Map<string, Sum>();
  for (const [, flow, month, day, year, hour = "", count] of text.matchAll(
    /^([79]),(\d\d)\/(\d\d)\/(\d\d),(\d\d)[\d:]+,(\d+)/gm,
  )) {
    const key = keyOf(new Date(Date.UTC(2000 + Number(year), Number(month) - 1, Number(day))), hour);
    const sum = groups.get(key) ?? { in: 0, out: 0 };
    sum[flow === "9" ? "in" : "out"] += Number(count);
    groups.set(key, sum);
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** Functions that return the group key, by bucket size. Weeks start on Monday. */
const steps: Record<string, (date: Date, hour: string) => string> = {
  hour: (date, hour) => `${date.toISOString().slice(0, 10)} ${hour}`,
  day: (date) => date.toISOString().slice(0, 10),
  week: (date) => new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000).toISOString(),
  month: (date) => date.toISOString().slice(0, 7),
};

/** Rows of a counts table, except those with unknown counts. */
async function sumsShown(page: Page): Promise<Sum[]> {
  await page.getByRole("button", { name: "Show table" }).click();
  const cells = await page
    .getByRole("region", { name: /^People per .*, table$/ })
    .getByRole("table")
    .evaluate((table) =>
      [...table.querySelectorAll("tbody tr")].map((row) =>
        [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? ""),
      ),
    );
  const numberOf = (text = "") => Number(text.replaceAll(",", ""));
  return cells.filter(([first]) => first !== "–").map(([ins, outs]) => ({ in: numberOf(ins), out: numberOf(outs) }));
}

test(
  "DS-01 fifteen weeks of replayed counts are displayed correctly by hour, day, week and month",
  { tag: "@prove" },
  async ({ apiAs, baseURL, page, signIn }) => {
    const file = path.join(process.env["E2E_DATA_DIR"] ?? "", "counts.data");
    await writeFile(file, existsSync(REAL_COUNTS) ? await readFile(REAL_COUNTS) : madeUpCounts());
    const people = peopleByDay(await readFile(file, "utf8"));
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
      const { code, says } = await simulate(["replay", file, ...connection, ...how]).ended;
      expect(code, says).toBe(0);
    }
    await api.put(`/api/sensor/${id}`, { measID: place._id });
    type Bucket = { start: string; data: { in: number; out: number }; completeness: number };
    const range = "from=2005-07-24T07:00:00Z&to=2005-11-06T08:00:00Z";
    const days = await api.get<Bucket[]>(`/data/v2/aggregate/json?filter=meas:${place._id}:counting&acc=day&${range}`);
    expect(days).toHaveLength(105);
    expect(days.map(({ start, data }) => [start.slice(0, 10), data])).toEqual([...people]);
    const night = await api.get<Bucket[]>(
      `/data/v2/aggregate/json?filter=meas:${place._id}:counting&acc=hour&from=2005-10-30T07:00:00Z&to=2005-10-31T08:00:00Z`,
    );
    expect(night).toHaveLength(25);
    expect(night.map((hour) => hour.completeness).filter((part) => part < 1)).toEqual([0]);

    const text = await readFile(file, "utf8");
    await signIn(page, "support");
    for (const [by, keyOf] of Object.entries(steps)) {
      await page.goto(`/location/${place._id}/counts?range=2005-07-24,2005-11-05&by=${by}`);
      const inFile = peopleBy(text, keyOf);
      expect(await sumsShown(page), by).toEqual(inFile);
      const coming = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download CSV" }).click();
      const csv = (await readFile(await (await coming).path(), "utf8")).trim().split("\n").slice(2);
      const rows = csv.map((line) => line.split(",")).filter((cells) => Number(cells.at(-1)) > 0);
      expect(
        rows.map((cells) => ({ in: Number(cells.at(-3)), out: Number(cells.at(-2)) })),
        `${by}, CSV`,
      ).toEqual(inFile);
    }
  },
);
