// Tests the sensor list: nine filters, stable rows, and URLs that find a sensor (SE-01, SE-04).

import type { Page } from "@playwright/test";
import { openFilters } from "./filters.ts";
import { waitUntilAtRest } from "./rest.ts";
import { pick } from "./pick.ts";
import { expect, newName, newSensorId, test } from "./world.ts";

type Me = { _id: string; name: string };
type Sensor = {
  _id: string;
  type: string;
  owner: Me;
  groups: string[];
  claimable: boolean;
  measurement: { _id: string; name: string } | null;
  artifactRunning: { _id: string; name: string; type: string } | null;
  info: { software?: { firmware?: { version?: string } } } | null;
  scomState: { isConnected: boolean; lastContactAt: string | null };
};

const versionOf = (sensor: Sensor) => sensor.info?.software?.firmware?.version;
const isConnected = ({ scomState }: Sensor) =>
  scomState.isConnected || Date.now() - Date.parse(scomState.lastContactAt ?? "1970") < 86_400_000;

const rowsOf = (page: Page) => page.getByRole("table", { name: "Sensors" }).locator("tbody").getByRole("row");

/** Expects the first ten matches by id. Tries again, because sensors may still be starting. */
async function expectShown(page: Page, all: () => Promise<Sensor[]>, fits: (sensor: Sensor) => boolean): Promise<void> {
  await expect(async () => {
    const ids = (await all())
      .filter(fits)
      .map(({ _id }) => _id)
      .toSorted();
    expect(ids.length, "the filter must find something").toBeGreaterThan(0);
    const shown = await rowsOf(page).allInnerTexts();
    expect(shown.map((text) => /(?:[0-9A-F]{2}:){5}[0-9A-F]{2}/.exec(text)?.[0])).toEqual(ids.slice(0, 10));
    if (ids.length > 10) await expect(page.getByText(`1–10 of ${ids.length}`)).toBeVisible({ timeout: 500 });
  }).toPass();
}

test(
  "SE-01 each of the nine filters finds its sensors, is in the URL, and removable as chip",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("support");
    const everything = async () => (await api.get<{ objects: Sensor[] }>("/api/v2/sensor?limit=500")).objects;
    let all: Sensor[] = [];
    await expect
      .poll(async () => {
        all = await everything();
        return all.some((sensor) => versionOf(sensor) !== undefined && isConnected(sensor));
      })
      .toBe(true);
    await signIn(page, "support");
    await page.goto("/sensor");
    await openFilters(page);
    const chips = page.getByRole("list", { name: "Active filters" });
    const withFirmware = all.find((sensor) => sensor.artifactRunning !== null);
    const placed = all.find((sensor) => sensor.measurement !== null);
    const reporting = all.find((sensor) => versionOf(sensor) !== undefined);
    const grouped = all.find((sensor) => sensor.groups.length > 0);
    const running = withFirmware?.artifactRunning;
    const tail = (all[0]?._id ?? "").slice(-8);
    const choose = (label: string, option: string) => async () => {
      await page.getByLabel(label, { exact: true }).click();
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    const search = (label: string, name: string) => () =>
      pick(page.getByRole("combobox", { name: label, exact: true }), name);
    const cases: [address: RegExp, set: () => Promise<void>, fits: (sensor: Sensor) => boolean][] = [
      [/\?sensorType=PS\.C1$/, choose("Sensor Type", "PS.C1"), (sensor) => sensor.type === "PS.C1"],
      [/\?connected=connected$/, choose("Connection", "Connected"), isConnected],
      [
        new RegExp(`\\?ownerID=${placed?.owner._id}$`),
        search("Owner", placed?.owner.name ?? ""),
        (sensor) => sensor.owner._id === placed?.owner._id,
      ],
      [
        new RegExp(`\\?artifactRunningID=${running?._id}$`),
        search("Firmware", running?.name ?? ""),
        (sensor) => sensor.artifactRunning?._id === running?._id,
      ],
      [
        /\?infoSoftwareFirmwareVersion=/,
        choose("Reported firmware version", versionOf(reporting as Sensor) ?? ""),
        (sensor) => versionOf(sensor) === versionOf(reporting as Sensor),
      ],
      [
        new RegExp(`\\?measID=${placed?.measurement?._id}$`),
        search("Location", placed?.measurement?.name ?? ""),
        (sensor) => sensor.measurement?._id === placed?.measurement?._id,
      ],
      [/\?claimable=disabled$/, choose("Re-registration", "Disabled"), (sensor) => !sensor.claimable],
      [
        /\?groups=/,
        async () => {
          await page.getByLabel("Groups").fill(grouped?.groups[0] ?? "");
          await page.getByLabel("Groups").press("Enter");
        },
        (sensor) => sensor.groups.includes(grouped?.groups[0] ?? ""),
      ],
      [
        /\?sensorID=/,
        () => page.getByLabel("Search by ID").fill(tail),
        (sensor) => sensor._id.replaceAll(":", "").includes(tail.replaceAll(":", "")),
      ],
    ];
    for (const [address, set, fits] of cases) {
      await set();
      await expect(page).toHaveURL(address);
      await expectShown(page, everything, fits);
      await expect(chips.getByRole("listitem")).not.toHaveCount(0);
      await chips
        .getByRole("button", { name: /^Remove filter/ })
        .first()
        .click();
      await expect(page).toHaveURL("/sensor");
    }
  },
);

test(
  "SE-01 rows don't move under the pointer: new ones wait, deleted ones are marked",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const group = newName("still");
    const ids = Array.from({ length: 4 }, newSensorId).toSorted();
    const make = async (id: string) => {
      await api.post("/api/sensor", { _id: id, owner: me._id, type: "APS" });
      await api.put(`/api/sensor/${id}`, { groups: [group] });
    };
    for (const id of ids.slice(1)) await make(id);
    await signIn(page, "customer");
    await page.goto(`/sensor?groups=${encodeURIComponent(group)}`);
    await expect(rowsOf(page)).toHaveCount(3);
    const target = rowsOf(page).nth(1);
    await target.hover();
    await waitUntilAtRest(page);
    const before = await target.boundingBox();
    // A new first row moves the others down, except for the row under the pointer.
    await make(ids[0] ?? "");
    await api.remove(`/api/sensor/${ids[1]}`);
    await expect(rowsOf(page).nth(3)).toContainText(ids[0] ?? "");
    await expect(rowsOf(page).nth(0)).toContainText(ids[1] ?? "");
    await expect(target).toContainText(ids[2] ?? "");
    expect(await target.boundingBox()).toEqual(before);
    await page.mouse.move(5, 5);
    await expect(rowsOf(page)).toHaveCount(3);
    await expect(rowsOf(page).nth(0)).toContainText(ids[0] ?? "");
  },
);

test(
  "SE-04 a URL with only the id redirects to the type's page, with destination and query",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const made = { APS: newSensorId(), "PS.C1": newSensorId(), ZOD: newSensorId() };
    for (const [type, _id] of Object.entries(made)) await api.post("/api/sensor", { _id, owner: me._id, type });
    await signIn(page, "customer");
    await page.goto("/sensor");
    await page.goto(`/sensor/${made["PS.C1"]}`);
    await expect(page).toHaveURL(`/sensor/psc1/${made["PS.C1"]}/general`);
    // The redirect replaces the requested URL in the history.
    await page.goBack();
    await expect(page).toHaveURL("/sensor");
    const saved = encodeURIComponent("sensorType=ZOD&skip=10");
    await page.goto(`/sensor/${made.ZOD.toLowerCase().replaceAll(":", "-")}?query=${saved}`);
    await expect(page).toHaveURL(`/sensor/zod/${made.ZOD}/general?sensorType=ZOD&skip=10`);
    // URLs of pages that a sensor doesn't have redirect to General.
    await page.goto(`/sensor/${encodeURIComponent(made.APS)}/logs?query=${encodeURIComponent("sensorID=7A")}`);
    await expect(page).toHaveURL(`/sensor/aps/${made.APS}/general?sensorID=7A`);
    await page.goto("/sensor/no-id-at-all");
    await expect(page.getByText("Page not found")).toBeVisible();
  },
);
