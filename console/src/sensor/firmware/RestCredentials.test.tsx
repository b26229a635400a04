// Tests the form for REST credentials, with stubbed responses.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponse, openConsole } from "../../testing/console.tsx";
import { waitForAppearance } from "../../testing/shown.ts";
import {
  allPermissions,
  ids,
  viewOnlyPermissions,
  sensorApiPath,
  sensorWith,
  createServerStub,
  enabledVpn,
} from "../sensor.testing.ts";

const stored: Partial<Sensor> = { sensorFeatureCredentials: [{ feature: "restapi", username: "admin" }] };

async function open(facts: Partial<Sensor> = {}, permissions = allPermissions) {
  const sent: unknown[] = [];
  let sensor = sensorWith({ vpn: enabledVpn, ...facts });
  const put = (body: unknown): StubbedResponse => {
    sent.push(body);
    const { sensorFeatureCredentials: all } = body as { sensorFeatureCredentials: { username: string }[] };
    const kept = all.filter(({ username }) => username !== "");
    sensor = {
      ...sensor,
      sensorFeatureCredentials: kept.map(({ username }) => ({ feature: "restapi", username })),
      version: sensor.version + 1,
    };
    return { status: 200, body: sensor };
  };
  await openConsole(
    `/sensor/aps/${ids.sensor}/firmware`,
    createServerStub(sensor, permissions, { [`PUT ${sensorApiPath}`]: put }),
  );
  const card = page.getByRole("region", { name: "REST credentials" });
  await expect.element(card).toBeVisible();
  return { sent, card };
}
const username = () => page.getByRole("textbox", { name: "Username" });
const password = () => page.getByRole("textbox", { name: "Password" });
const bar = () => page.getByRole("region", { name: "Unsaved changes" });
const save = () => bar().getByRole("button", { name: "Save" }).click();
/** Waits for the confirmation, which is shown for two seconds only. */
async function saved() {
  const confirmed = waitForAppearance(bar().getByText("Saved", { exact: true }));
  await save();
  await confirmed;
}

test("SE-10 without stored credentials a username needs a password, and a password a username", async () => {
  const { sent } = await open();
  await username().fill("admin");
  await userEvent.tab();
  expect(page.getByText("The password is required").elements()).toHaveLength(0);
  await save();
  await expect.element(page.getByText("The password is required")).toBeVisible();
  await expect.element(password()).toHaveFocus();
  await username().fill("");
  await password().fill("secret");
  await userEvent.tab();
  await expect.element(page.getByText("The username is required")).toBeVisible();
  await save();
  expect(sent).toEqual([]);
  await username().fill("admin");
  await saved();
  expect(sent).toEqual([{ sensorFeatureCredentials: [{ feature: "restapi", username: "admin", password: "secret" }] }]);
});

test("SE-10 the stored password is never shown; beside a new name it is kept, a typed one replaces it", async () => {
  const { sent } = await open(stored);
  await expect.element(username()).toHaveValue("admin");
  await expect.element(password()).toHaveValue("");
  await username().fill("operator");
  await saved();
  await password().fill("other secret");
  await save();
  await expect.element(password()).toHaveValue("");
  expect(sent).toEqual([
    { sensorFeatureCredentials: [{ feature: "restapi", username: "operator" }] },
    { sensorFeatureCredentials: [{ feature: "restapi", username: "operator", password: "other secret" }] },
  ]);
});

test(
  "SE-10 clearing asks, names the sensor, and sends an entry with empty username and password",
  { tags: "prove" },
  async () => {
    const { sent } = await open(stored);
    await page.getByRole("button", { name: "Clear credentials" }).click();
    const dialog = page.getByRole("alertdialog", { name: "Clear REST credentials" });
    await expect.element(dialog.getByText(new RegExp(ids.sensor))).toBeVisible();
    await dialog.getByRole("button", { name: "Clear", exact: true }).click();
    await expect.element(username()).toHaveValue("");
    await expect.element(page.getByText("No credentials stored.")).toBeVisible();
    expect(sent).toEqual([{ sensorFeatureCredentials: [{ feature: "restapi", username: "", password: "" }] }]);
  },
);

test("SE-10 emptying the stored username and saving clears, too", async () => {
  const { sent } = await open(stored);
  await username().fill("");
  await save();
  await expect.element(page.getByText("No credentials stored.")).toBeVisible();
  expect(sent).toEqual([{ sensorFeatureCredentials: [{ feature: "restapi", username: "", password: "" }] }]);
});

test("SE-10 ER-03 a username that breaks the input rule is refused at the field", async () => {
  const { sent } = await open();
  await username().fill("a<b");
  await password().fill("secret");
  await save();
  await expect.element(page.getByText("Invalid input. Remove special characters like '<>', '[]', '{}'.")).toBeVisible();
  expect(sent).toEqual([]);
});

test("SE-10 who may only view sees the username and no field for a password", async () => {
  await open(stored, viewOnlyPermissions);
  await expect.element(username()).toHaveAttribute("readonly");
  expect(password().elements()).toHaveLength(0);
  expect(page.getByRole("button", { name: "Clear credentials" }).elements()).toHaveLength(0);
});

test.each<[string, Sensor["psconnect"], string]>([
  [
    "absent",
    null,
    "PS.Connect remote access is not available for this sensor. It is either disabled or unavailable in the installed firmware.",
  ],
  [
    "disconnected",
    { connectionStatus: "disconnected", statusChangedAt: null },
    "This sensor is currently disconnected from PS.Connect. Make sure the sensor is connected to the internet and PS.Connect is enabled in the configuration.",
  ],
])("SE-05 the configuration page with PS.Connect %s", async (_case, psconnect, sentence) => {
  await open({ psconnect });
  await expect.element(page.getByText(sentence)).toBeVisible();
});
