// Tests the location page with stubbed responses.
import type { Location } from "@psp/contract/location/location.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainCounts, plainLocation, plainSensor } from "../../testing/objects.ts";

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const below = { me: true, myChildren: true };
const permissions: Permissions = {
  owner: { canViewOwner: below },
  other: { canAssignSensors: below },
  ownable: {
    sensor: { canViewObject: below, canEditObject: below },
    measurement: { canViewObject: below, canEditObject: below, canCreateObjectFor: below },
  },
};
const self = plainAccount({ _id: id(1), name: "Northwind", parentAccounts: [id(9)] });
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const shopWith = (facts: Partial<Location> = {}) =>
  plainLocation({ _id: id(6), name: "Harbour Shop", owner, ...facts });
const sensorAt = (n: number, place: string | null, type: "APS" | "PS.C1" = "APS") =>
  plainSensor({
    _id: `02:00:00:00:7A:0${n}`,
    type,
    owner,
    measurement:
      place === null
        ? null
        : {
            _id: place === "Harbour Shop" ? id(6) : id(7),
            name: place,
            isDeleted: false,
            location: { timezone: null },
          },
  });
const here = sensorAt(1, "Harbour Shop");
const camera = sensorAt(2, "Harbour Shop", "PS.C1");

type Given = {
  monitored?: number;
  sensors?: ReturnType<typeof sensorAt>[];
  rights?: Permissions;
  more?: StubbedResponses;
};

function open(
  address: string,
  shop: Location,
  { monitored = 0, sensors = [here, camera], rights = permissions, more = {} }: Given = {},
) {
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...self, permissions: rights, email: "a1@example.com" } },
    "GET /api/account": listResponse([self]),
    "GET /api/v2/measurement": listResponse([shop]),
    "GET /api/v2/sensor": (_, query) => {
      if (query.get("monitored") === "true") return listResponse(sensors.slice(0, monitored), monitored);
      if (query.get("sensorType") === "APS")
        return listResponse([], sensors.filter(({ type }) => type === "APS").length);
      return query.get("measID") === null
        ? listResponse([...sensors, sensorAt(3, "Old Shop"), sensorAt(4, null)])
        : listResponse(sensors);
    },
    "GET /api/v2/counts": { status: 200, body: plainCounts() },
    [`GET /api/measurement/${id(6)}`]: { status: 200, body: shop },
    ...more,
  });
}
const general = `/location/${id(6)}/general`;
const menu = (name = "Harbour Shop") => page.getByRole("navigation", { name, exact: true });
const entry = (name: string, of?: string) => menu(of).getByRole("link", { name, exact: true });
async function says(name: string, reason: string, of?: string) {
  await userEvent.hover(page.getByRole("heading", { level: 1 }));
  await userEvent.hover(entry(name, of));
  await expect.element(page.getByRole("tooltip").getByText(reason, { exact: true })).toBeVisible();
}

test("LO-03 the menu begins with the counts; monitoring and its logs are off, and say why", async () => {
  await open(general, shopWith());
  await expect.element(entry("Counts")).toHaveAttribute("href", `/location/${id(6)}/counts`);
  const names = menu().getByRole("link").elements();
  expect(names.map(({ textContent }) => textContent)).toEqual([
    "Counts",
    "Sales",
    "General",
    "Monitoring",
    "Occupancy based apps",
    "Monitoring Logs",
    "History",
  ]);
  for (const group of ["CONFIGURATION", "Applications", "MAINTENANCE"])
    await expect.element(menu().getByRole("heading", { name: group })).toBeVisible();
  await expect.element(entry("Monitoring")).toHaveAttribute("aria-disabled", "true");
  await says("Monitoring", "Ask our support team how you can activate this option");
  await says("Monitoring Logs", "This location doesn't have any monitoring logs yet");
  await expect.element(page.getByRole("main").getByText("-", { exact: true }).first()).toBeVisible();
});

test("LO-03 a new location has the same menu, all of it but General off", { tags: "prove" }, async () => {
  await open("/location/new", shopWith());
  const title = "New Location";
  await expect.element(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  for (const name of ["Counts", "Monitoring", "Occupancy based apps", "Monitoring Logs", "History"])
    await expect.element(entry(name, title)).toHaveAttribute("aria-disabled", "true");
  await says("Monitoring", "Ask our support team how you can activate this option", title);
  await expect.element(entry("General", title)).toHaveAttribute("aria-current", "page");
});

test("LO-03 monitoring is available with a licensed sensor; otherwise its URL redirects to General", async () => {
  const monitoringConfig = {
    connection: { enabled: true, warningThreshold: 4, errorThreshold: 6 },
    reboot: { enabled: false, warningThreshold: 3, errorThreshold: 5 },
  };
  const { screen } = await open(`/location/${id(6)}/monitoring`, shopWith({ monitoringConfig }), { monitored: 1 });
  const group = page.getByRole("group", { name: "Connection", exact: true });
  await expect.element(group.getByRole("textbox", { name: "Warning threshold" })).toHaveValue("4");
  await expect.element(entry("Monitoring")).toHaveAttribute("aria-current", "page");
  await screen.unmount();
  const { address } = await open(`/location/${id(6)}/monitoring`, shopWith());
  await expect.poll(address).toBe(general);
});

test("LO-03 logs open once there are some, and lead to General before", { tags: "prove" }, async () => {
  const { screen } = await open(`/location/${id(6)}/issues`, shopWith({ types: ["monitoringStatus"] }), {
    more: { "GET /api/v2/issue": listResponse([]) },
  });
  await expect.element(page.getByText("No entries yet")).toBeVisible();
  await expect.element(entry("Monitoring Logs")).toHaveAttribute("aria-current", "page");
  await screen.unmount();
  const { address } = await open(`/location/${id(6)}/issues`, shopWith());
  await expect.poll(address).toBe(general);
});

test("LO-03 applications say what an occupancy light still needs", { tags: "prove" }, async () => {
  await open(general, shopWith(), { sensors: [] });
  await entry("Occupancy based apps").click();
  for (const sentence of [
    /This location doesn't have a PS\.Buildings\/PS\.Occupancy license/,
    "Assign an APS sensor to this location.",
    "Specify the address of this location.",
  ])
    await expect.element(page.getByRole("alert").getByText(sentence)).toBeVisible();
});

test("LO-03 sensors are chips linking to their pages; removing one can be undone", { tags: "prove" }, async () => {
  const sent: unknown[] = [];
  await open(general, shopWith(), {
    more: {
      [`PUT /api/sensor/${encodeURIComponent(here._id)}`]: (body) => {
        sent.push(body);
        return { status: 200, body: here };
      },
    },
  });
  const sensors = page.getByRole("region", { name: "Sensors", exact: true });
  const leading = () =>
    sensors
      .getByRole("link")
      .elements()
      .map((link) => link.getAttribute("href"));
  await expect.poll(leading).toEqual([`/sensor/aps/${here._id}/general`, `/sensor/psc1/${camera._id}/general`]);
  await sensors.getByRole("button", { name: `Remove ${here._id} from this location` }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => sent).toEqual([{ measID: null }, { measID: id(6) }]);
});

test(
  "LO-03 sensors are assigned from here: found by ID, with where they are now, and with the outcome",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    await open(general, shopWith(), {
      more: {
        "PUT /api/v2/sensor/batch-update": (body) => {
          sent.push(body);
          return { status: 200, body: { success: 2, fail: [] } };
        },
      },
    });
    await page.getByRole("button", { name: "Assign sensors" }).click();
    const dialog = page.getByRole("dialog", { name: "Assign sensors to Harbour Shop" });
    await expect.element(dialog.getByText("APS, now at Old Shop")).toBeVisible();
    expect(dialog.getByRole("checkbox", { name: new RegExp(here._id) }).elements()).toEqual([]);
    await dialog.getByRole("button", { name: "Assign" }).click();
    await expect.element(dialog.getByText("Choose at least one sensor")).toBeVisible();
    await dialog.getByRole("checkbox", { name: /7A:03/ }).click();
    await dialog.getByRole("checkbox", { name: /7A:04/ }).click();
    await dialog.getByRole("button", { name: "Assign" }).click();
    await expect.element(dialog.getByText("Successfully updated 2 sensor(s)!")).toBeVisible();
    expect(sent).toEqual([{ sensorIDs: ["02:00:00:00:7A:03", "02:00:00:00:7A:04"], changes: { measID: id(6) } }]);
  },
);

test("LO-03 who may not assign sensors there reads why, and removes none", async () => {
  const rights = { ...permissions, other: {}, ownable: { ...permissions.ownable, sensor: { canViewObject: below } } };
  await open(general, shopWith(), { rights });
  const assign = page.getByRole("button", { name: "Assign sensors" });
  await expect.element(assign).toHaveAttribute("aria-disabled", "true");
  await expect
    .element(assign)
    .toHaveAttribute("aria-description", "You have no permission to assign sensors to this location.");
  expect(page.getByRole("button", { name: /^Remove / }).elements()).toEqual([]);
});
