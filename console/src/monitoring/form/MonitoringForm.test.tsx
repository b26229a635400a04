// Tests the monitoring form of locations and sensors with stubbed responses (MO-01, SE-05).
import type { Location } from "@psp/contract/location/location.ts";
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainLocation, plainSensor } from "../../testing/objects.ts";
import { waitForAppearance } from "../../testing/shown.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const view: Permissions = { ownable: { sensor: { canViewObject: below }, measurement: { canViewObject: below } } };
const edit: Permissions = {
  ownable: {
    sensor: { canViewObject: below, canEditObject: below },
    measurement: { canViewObject: below, canEditObject: below },
  },
};
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const mac = "02:00:00:00:7A:01";
const shopWith = (facts: Partial<Location> = {}) =>
  plainLocation({ _id: id(6), name: "Harbour Shop", owner, version: 3, ...facts });
const sensorWith = (facts: Partial<Sensor> = {}) =>
  plainSensor({
    _id: mac,
    owner,
    licenses: { monitoring: true },
    measurement: { _id: id(6), name: "Harbour Shop", isDeleted: false, location: { timezone: null } },
    ...facts,
  });

type Given = { shop?: Location; sensor?: Sensor; rights?: Permissions; more?: StubbedResponses };

function open(address: string, { shop = shopWith(), sensor = sensorWith(), rights = edit, more = {} }: Given = {}) {
  const sent: unknown[] = [];
  const saved =
    <T extends { version: number }>(row: T) =>
    (body: unknown) => {
      sent.push(body);
      return { status: 200, body: { ...row, ...(body as object), version: row.version + 1 } };
    };
  const opened = openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions: rights, email: "a1@example.com" } },
    "GET /api/account": listResponse([self]),
    "GET /api/v2/measurement": listResponse([shop]),
    "GET /api/v2/sensor": listResponse([sensor]),
    [`GET /api/measurement/${id(6)}`]: { status: 200, body: shop },
    [`GET /api/sensor/${encodeURIComponent(mac)}`]: { status: 200, body: sensor },
    [`PUT /api/measurement/${id(6)}`]: saved(shop),
    [`PUT /api/sensor/${encodeURIComponent(mac)}`]: saved(sensor),
    ...more,
  });
  return opened.then((console) => ({ ...console, sent }));
}
const ofLocation = `/location/${id(6)}/monitoring`;
const ofSensor = `/sensor/aps/${mac}/monitoring`;
const toggle = page.getByRole("switch", { name: "Monitoring", exact: true });
const group = (name: string) => page.getByRole("group", { name, exact: true });
const field = (of: string, name: string) => group(of).getByRole("textbox", { name });
const save = page.getByRole("button", { name: "Save", exact: true });

test("MO-01 switching on starts with the defaults and describes each check", async () => {
  const { sent } = await open(ofLocation);
  await expect.element(toggle).not.toBeChecked();
  expect(group("Connection").elements()).toEqual([]);
  await toggle.click();
  for (const [name, warning, error] of [
    ["Connection", "1", "2"],
    ["Data plausibility", "1", "2"],
    ["Uptime", "5", "3"],
    ["OSD", "0", "3"],
    ["Reboot", "3", "5"],
    ["Watchdog", "1", "3"],
  ] as const) {
    await expect.element(group(name).getByRole("switch", { name: "Enabled" })).toBeChecked();
    await expect.element(field(name, "Warning threshold")).toHaveValue(warning);
    await expect.element(field(name, "Error threshold")).toHaveValue(error);
  }
  await expect.element(group("Data plausibility").getByText(/compares each day with the same weekday/i)).toBeVisible();
  for (const day of ["Monday", "Sunday"]) await expect.element(page.getByRole("checkbox", { name: day })).toBeChecked();
  const saved = waitForAppearance(page.getByRole("status").getByText("Saved", { exact: true }));
  await save.click();
  await expect.poll(() => sent).toEqual([{ monitoringConfig: monitoringDefaults }]);
  await saved;
});

test("MO-01 switching off sends null and ignores all fields below", async () => {
  const { sent } = await open(ofLocation, { shop: shopWith({ monitoringConfig: monitoringDefaults }) });
  await field("Reboot", "Warning threshold").fill("nonsense");
  await expect
    .element(page.getByRole("region", { name: "Unsaved changes" }).getByText("Unsaved changes: Reboot"))
    .toBeVisible();
  await toggle.click();
  await expect.element(page.getByText("Unsaved changes: Monitoring", { exact: true })).toBeVisible();
  await save.click();
  await expect.poll(() => sent).toEqual([{ monitoringConfig: null }]);
});

test(
  "MO-01 figures are checked when they are left and when they are saved, with the fixed sentences",
  { tags: "prove" },
  async () => {
    const { sent } = await open(ofLocation, { shop: shopWith({ monitoringConfig: monitoringDefaults }) });
    await field("Connection", "Warning threshold").fill("30");
    expect(group("Connection").getByText("Threshold should be >=1 and <30").elements()).toEqual([]);
    await userEvent.tab();
    await expect.element(group("Connection").getByText("Threshold should be >=1 and <30")).toBeVisible();
    await field("Uptime", "Average over (warning)").fill("");
    await field("Watchdog", "Error threshold").fill("2.5");
    await save.click();
    await expect.element(page.getByText("Please check the following fields")).toBeVisible();
    await expect.element(group("Uptime").getByText("Required", { exact: true })).toBeVisible();
    await expect.element(group("Watchdog").getByText("Threshold should be integer")).toBeVisible();
    await expect.element(field("Connection", "Warning threshold")).toHaveFocus();
    expect(sent).toEqual([]);
    // Disabled services are not validated.
    for (const name of ["Connection", "Uptime", "Watchdog"]) {
      const enabled = group(name).getByRole("switch", { name: "Enabled" });
      await enabled.click();
      // Waits, because each fixed error shortens the summary and thereby moves the next switch.
      await expect.element(enabled).not.toBeChecked();
    }
    await save.click();
    await expect.poll(() => sent.length).toBe(1);
    expect(sent[0]).toMatchObject({
      monitoringConfig: {
        connection: { enabled: false, warningThreshold: 30 },
        uptime: { enabled: false, warningRepeatingTime: null },
        watchdog: { enabled: false, errorThreshold: 2.5 },
      },
    });
  },
);

test(
  "MO-01 additional e-mails are chips; typed ones are added on save, invalid ones refused",
  { tags: "prove" },
  async () => {
    const { sent } = await open(ofLocation, { shop: shopWith({ monitoringConfig: monitoringDefaults }) });
    const emails = page.getByRole("combobox", { name: "Additional e-mails" });
    await emails.fill("first@example.com");
    await userEvent.keyboard("{Enter}");
    await emails.fill("no e-mail");
    await save.click();
    await expect.element(page.getByText("All emails must be valid e-mails").first()).toBeVisible();
    expect(sent).toEqual([]);
    await userEvent.click(emails);
    await userEvent.keyboard("{Backspace}");
    await emails.fill("second@example.com");
    await save.click();
    await expect.poll(() => sent.length).toBe(1);
    expect(sent[0]).toMatchObject({
      monitoringConfig: { alert: { email: { toOther: ["first@example.com", "second@example.com"] } } },
    });
  },
);

test("MO-01 who may only look at the location reads the configuration and can change nothing", async () => {
  await open(ofLocation, { shop: shopWith({ monitoringConfig: monitoringDefaults }), rights: view });
  await expect.element(page.getByText("You can view but not change this location.").first()).toBeVisible();
  await expect.element(toggle).toHaveAttribute("aria-disabled", "true");
  await expect.element(field("Reboot", "Warning threshold")).toHaveAttribute("readonly");
  await userEvent.click(toggle, { force: true });
  await expect.element(toggle).toBeChecked();
});

test("SE-05 MO-01 a sensor shows the inherited configuration, and its own starts with it", async () => {
  const shop = shopWith({
    monitoringConfig: { ...monitoringDefaults, reboot: { enabled: true, warningThreshold: 9, errorThreshold: 12 } },
  });
  const { sent } = await open(ofSensor, { shop });
  await expect.element(toggle).not.toBeChecked();
  const card = page.getByRole("region", { name: "Monitoring", exact: true });
  await expect.element(card.getByText(/uses the settings of its location/)).toBeVisible();
  await expect.element(card.getByRole("link", { name: "Harbour Shop" })).toHaveAttribute("href", ofLocation);
  await expect.element(card.getByText("Warning at 9, error at 12 in 24 hours")).toBeVisible();
  await toggle.click();
  await expect.element(field("Reboot", "Warning threshold")).toHaveValue("9");
  await save.click();
  await expect.poll(() => sent).toEqual([{ monitoringConfig: shop.monitoringConfig }]);
});

test("SE-05 MO-01 a sensor's own configuration is given up for its location's: null is sent", async () => {
  const { sent } = await open(ofSensor, { sensor: sensorWith({ monitoringConfig: monitoringDefaults }) });
  await expect.element(page.getByText(/This sensor has its own settings/)).toBeVisible();
  await toggle.click();
  await expect.element(page.getByText(/so this sensor is not monitored/)).toBeVisible();
  await save.click();
  await expect.poll(() => sent).toEqual([{ monitoringConfig: null }]);
});
