// Tests sensor batches: selection, every field, deletion, failures, count mismatch, undo, and leaving the page (SE-03, SE-13).

import type { Locator, Page } from "@playwright/test";
import { findPageFaults } from "./faults.ts";
import { expectMessage } from "./messages.ts";
import { pick } from "./pick.ts";
import { type Api, expect, newName, newSensorId, test } from "./world.ts";

type Me = { _id: string; name: string };
type Sensor = {
  _id: string;
  owner: Me;
  groups: string[];
  claimable: boolean;
  measurement: { _id: string; name: string } | null;
};

const prefixOf = (group: string) => `/sensor?groups=${encodeURIComponent(group)}`;

async function sensors(api: Api, count: number, owner: string): Promise<{ group: string; ids: string[] }> {
  const group = newName("batch");
  const ids = Array.from({ length: count }, newSensorId).toSorted();
  for (const [n, id] of ids.entries()) {
    await api.post("/api/sensor", { _id: id, owner, type: n % 2 === 0 ? "APS" : "ZOD" });
    await api.put(`/api/sensor/${id}`, { groups: [group] });
  }
  return { group, ids };
}

async function all(api: Api, ids: readonly string[]): Promise<Sensor[]> {
  return Promise.all(ids.map((id) => api.get<Sensor>(`/api/sensor/${id}`)));
}

const bar = (page: Page) => page.getByRole("toolbar", { name: "Selection" });
const choose = (page: Page, id: string) => page.getByRole("checkbox", { name: new RegExp(id) });

test(
  "SE-03 groups of a whole query but one: hint, examples, count, and the excluded one keeps its own",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const { group, ids } = await sensors(api, 12, me._id);
    await signIn(page, "customer");
    await page.goto(prefixOf(group));
    // A page has ten rows, so the selection exceeds the page.
    await choose(page, ids[0] ?? "").check();
    await expect(bar(page)).toContainText("1 selected");
    await bar(page).getByRole("button", { name: "Select all 12" }).click();
    await expect(bar(page)).toContainText("12 selected");
    await choose(page, ids[3] ?? "").uncheck();
    await expect(bar(page)).toContainText("11 selected");
    await bar(page).getByRole("button", { name: "Set groups" }).click();
    const dialog = page.getByRole("dialog", { name: "Set groups of 11 sensors" });
    await expect(dialog).toContainText("All previously assigned groups of the selected sensors would be overwritten.");
    const examples = dialog.getByRole("table", { name: "Examples" });
    await expect(examples.getByRole("row", { name: new RegExp(ids[0] ?? "") })).toContainText(group);
    await expect(examples).toContainText("and 8 more");
    const other = newName("after");
    // The examples must show the new group while the user is still typing it.
    await dialog.getByRole("radio", { name: "Replace" }).check();
    await dialog.getByLabel("Groups").fill(other);
    await expect(examples.getByRole("row", { name: new RegExp(ids[1] ?? "") })).toContainText(other);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toContainText("Successfully updated all 11 sensor(s)!");
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(bar(page)).toHaveCount(0);
    const now = await all(api, ids);
    expect(now.map((sensor) => sensor.groups)).toEqual(ids.map((_, n) => [n === 3 ? group : other]));
    await expect(page.getByRole("cell", { name: ids[3] ?? "", exact: true })).toBeVisible();
    await expect(page.getByRole("cell", { name: ids[0] ?? "", exact: true })).toHaveCount(0);
  },
);

test(
  "SE-03 location, re-registration and owner, the failed with their ids, retry, and undo",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const { group, ids } = await sensors(api, 3, me._id);
    const name = newName("Arcade");
    await api.post("/api/measurement", { name, owner: me._id });
    await signIn(page, "customer");
    await page.goto(prefixOf(group));
    const begin = async (action: string) => {
      for (const id of ids) await choose(page, id).check();
      await bar(page).getByRole("button", { name: action, exact: true }).click();
    };

    await begin("Set location");
    let dialog = page.getByRole("dialog", { name: "Set location of 3 sensors" });
    await dialog.getByRole("radio", { name: "Move to …" }).check();
    await pick(dialog.getByRole("combobox", { name: "Location" }), name);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toContainText("Successfully updated 3 sensor(s)!");
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(page.getByRole("table", { name: "Sensors" }).getByRole("link", { name })).toHaveCount(3);

    // Sensors created manually have no registration code, so they can't be opened for re-registration.
    await begin("Set re-registration");
    dialog = page.getByRole("dialog", { name: "Set re-registration of 3 sensors" });
    await expect(dialog).toContainText("Re-registration can't be enabled for sensors without a registration code");
    await dialog.getByRole("combobox", { name: "Re-registration" }).click();
    await page.getByRole("option", { name: "Enabled" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("alert")).toContainText("Saving Failed");
    await expect(dialog.getByRole("alert")).toContainText("An invalid argument was given.");
    await dialog.getByRole("button", { name: "Details" }).click();
    await expect(dialog.getByRole("list", { name: "Failures" }).getByRole("listitem")).toHaveCount(3);
    await expect(dialog.getByRole("alert")).toContainText(
      "You can't enable re-registration: this sensor has no registration code.",
    );
    await expect(dialog).toContainText(`Object ID: ${ids[0]}`);
    await dialog.getByRole("button", { name: "Retry failed" }).click();
    await expect(dialog.getByRole("alert")).toContainText("Saving Failed");
    await dialog.getByRole("button", { name: "Close" }).click();

    await begin("Set owner");
    dialog = page.getByRole("dialog", { name: "Set owner of 3 sensors" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("alert")).toContainText("No changes specified");
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(bar(page).getByText("3 selected")).toBeVisible();
    await bar(page).getByRole("button", { name: "Set owner" }).click();
    await pick(dialog.getByRole("combobox", { name: "Owner" }), "Harbour Stores Old Town");
    await api.remove(`/api/sensor/${ids[2]}`);
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toContainText("1 sensor(s) failed to update! 2 sensor(s) was/were updated successfully.");
    await dialog.getByRole("button", { name: "Details" }).click();
    await expect(dialog.getByRole("list", { name: "Failures" })).toContainText(/Not found\..*Object ID: /);
    await expect(dialog).toContainText(`Object ID: ${ids[2]}`);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect
      .poll(async () => (await all(api, ids.slice(0, 2))).map((sensor) => sensor.owner.name))
      .toEqual(Array(2).fill("Harbour Stores Old Town"));
    // The sensors lose their location, because it belongs to the previous owner.
    expect((await all(api, ids.slice(0, 2))).map(({ measurement }) => measurement)).toEqual([null, null]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expectMessage(
      page,
      "Change undone for 2 sensors. Cleared settings, and locations that you can't view, are not restored.",
    );
    const back = await all(api, ids.slice(0, 2));
    expect(back.map((sensor) => [sensor.owner._id, sensor.measurement?.name])).toEqual(Array(2).fill([me._id, name]));
  },
);

test(
  "SE-03 a count mismatch asks again before anything changes; deletion reports its result",
  { tag: "@prove" },
  async ({ page, apiAs, signIn, provoke }) => {
    provoke(/status of 409 .*batch-delete/);
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const { group, ids } = await sensors(api, 11, me._id);
    await signIn(page, "customer");
    await page.goto(prefixOf(group));
    await choose(page, ids[0] ?? "").check();
    await bar(page).getByRole("button", { name: "Select all 11" }).click();
    await bar(page).getByRole("button", { name: "Delete", exact: true }).click();
    let dialog = page.getByRole("dialog", { name: "Delete 11 sensors" });
    await expect(dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
    await api.put(`/api/sensor/${ids[10]}`, { groups: [] });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("textbox", { name: "Type 11 to confirm" }).fill("11");
    await dialog.getByRole("button", { name: "Delete" }).click();
    dialog = page.getByRole("dialog", { name: "Delete 10 sensors" });
    await expect(dialog.getByRole("alert")).toContainText(
      "Selection changed: 10 sensors now match. Nothing has been changed yet.",
    );
    expect(await api.status(`/api/sensor/${ids[0]}`)).toBe(200);
    await dialog.getByRole("button", { name: "Delete" }).click();
    await expect(dialog).toContainText("Successfully deleted all 10 sensor(s)!");
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("No sensors found", { exact: true })).toBeVisible();
    expect(await api.status(`/api/sensor/${ids[0]}`)).toBe(404);
    expect(await api.status(`/api/sensor/${ids[10]}`)).toBe(200);
  },
);

test(
  "SE-03 ER-02 firmware for sensors of another type is refused with reason and links",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const { group, ids } = await sensors(api, 2, me._id);
    const firmware = (await api.get<(Me & { type: string })[]>("/api/artifact")).find(({ type }) => type === "APS");
    const { _id: firmwareId, name: version } = firmware ?? { _id: "", name: "" };
    await signIn(page, "customer");
    await page.goto(prefixOf(group));
    const setFirmware = async () => {
      for (const id of ids) await choose(page, id).check();
      await bar(page).getByRole("button", { name: "Set firmware" }).click();
      const dialog = page.getByRole("dialog", { name: "Set firmware of 2 sensors" });
      await pick(
        dialog.getByRole("combobox", { name: "Firmware" }),
        version,
        new RegExp(`APS.*${version}|${version}.*APS`),
      );
      await dialog.getByRole("button", { name: "Save" }).click();
      await expect(dialog).toContainText("1 sensor(s) failed to update! 1 sensor(s) was/were updated successfully.");
      await expect(dialog.getByRole("alert")).toContainText(`Firmware ${version} is for APS; this sensor is a ZOD.`);
      await dialog.getByRole("button", { name: "Details" }).click();
      return dialog.getByRole("list", { name: "Failures" }).getByRole("listitem");
    };
    await (await setFirmware()).getByRole("link", { name: version }).click();
    await expect(page).toHaveURL(`/firmware/${firmwareId}`);
    await page.goto(prefixOf(group));
    await (await setFirmware()).getByRole("link", { name: ids[1] ?? "" }).click();
    await expect(page).toHaveURL(new RegExp(`/sensor/zod/${ids[1]}/general$`));
  },
);

test(
  "SE-03 SE-13 who may only look finds every action shut with its reason",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "readonly");
    await page.goto("/sensor");
    await page.getByRole("table", { name: "Sensors" }).getByRole("checkbox").nth(1).check();
    for (const name of ["Set owner", "Set location", "Set re-registration", "Set groups", "Delete"]) {
      const button = bar(page).getByRole("button", { name, exact: true });
      await expect(button).toHaveAttribute("aria-disabled", "true");
    }
    await bar(page).getByRole("button", { name: "Delete", exact: true }).hover();
    await expect(page.getByRole("tooltip")).toHaveText("You don't have permission to delete this sensor");
    await bar(page).getByRole("button", { name: "Cancel" }).click();
    await expect(bar(page)).toHaveCount(0);
  },
);

test(
  "SE-03 a batch goes on when its page is left, and is found again after a reload",
  { tag: "@prove" },
  async ({ page, apiAs, signIn }) => {
    const api = await apiAs("customer");
    const me = await api.get<Me>("/api/auth/user");
    const { group, ids } = await sensors(api, 2, me._id);
    await signIn(page, "customer");
    await page.goto(prefixOf(group));
    for (const id of ids) await choose(page, id).check();
    await bar(page).getByRole("button", { name: "Set groups" }).click();
    const dialog = page.getByRole("dialog", { name: "Set groups of 2 sensors" });
    const after = newName("left");
    await dialog.getByRole("radio", { name: "Replace" }).check();
    await dialog.getByLabel("Groups").fill(after);
    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/api/v2/sensor/batch-update", async (route) => {
      const reply = await route.fetch();
      await held;
      await route.fulfill({ response: reply });
    });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog.getByRole("progressbar", { name: "Progress" })).toBeVisible();
    await dialog.getByRole("button", { name: "Continue in background" }).click();
    await page.getByRole("link", { name: "Locations" }).click();
    await expect(page).toHaveURL("/location");
    const card = page.getByRole("region", { name: "Set groups of 2 sensors" });
    await expect(card).toContainText("2 of 2");
    answer();
    await expectMessage(page, "Successfully updated 2 sensor(s)!");
    await expect(card).toHaveCount(0);
    expect((await all(api, ids)).map((sensor) => sensor.groups)).toEqual([[after], [after]]);

    // Simulates a batch that was started in another browser. It is running at first, and finished later.
    const [run] = await api.get<Record<string, unknown>[]>("/api/v2/sensor/batches");
    const open = { ...run, done: 1, success: 1, finishedAt: null };
    let finished = false;
    await page.route("**/api/v2/sensor/batches", (route) => route.fulfill({ json: [open] }));
    await page.route(`**/api/v2/sensor/batches/${String(run?.["_id"])}`, (route) =>
      route.fulfill({ json: finished ? { ...run, fail: [] } : { ...open, fail: [] } }),
    );
    await page.reload();
    await expect(card).toContainText("1 of 2");
    finished = true;
    await expectMessage(page, "Successfully updated 2 sensor(s)!");
  },
);

const looks = [
  { scheme: "light", size: { width: 1280, height: 900 } },
  { scheme: "dark", size: { width: 1280, height: 900 } },
  { scheme: "light", size: { width: 320, height: 700 } },
] as const;

test(
  "SE-03 bar and dialogs in light, dark and on the phone: no violation, nothing cut off",
  { tag: "@prove" },
  async ({ page, signIn }) => {
    await signIn(page, "customer");
    for (const { scheme, size } of looks) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
      await page.setViewportSize(size);
      await page.goto("/sensor");
      await page
        .getByRole("checkbox", { name: /^Select 00:/ })
        .first()
        .check();
      const look = async (shown: Locator) => {
        await expect(shown).toBeVisible();
        expect(await findPageFaults(page, "everything")).toEqual([]);
      };
      await look(bar(page));
      for (const [action, title] of [
        ["Set groups", "Set groups of 1 sensor"],
        ["Set firmware", "Set firmware of 1 sensor"],
      ] as const) {
        if (size.width < 900) {
          await bar(page).getByRole("button", { name: "Actions" }).click();
          await page.getByRole("menuitem", { name: action }).click();
        } else await bar(page).getByRole("button", { name: action }).click();
        const dialog = page.getByRole("dialog", { name: title });
        await expect(dialog.getByRole("table", { name: "Examples" })).toBeVisible();
        await look(dialog);
        await dialog.getByRole("button", { name: "Cancel" }).click();
        await expect(dialog).toHaveCount(0);
      }
    }
  },
);
