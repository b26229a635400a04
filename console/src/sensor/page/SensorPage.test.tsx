// Tests the header, menu and tabs of a sensor's page, with stubbed responses.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { notFound, openConsole } from "../../testing/console.tsx";
import { listResponse } from "../../testing/objects.ts";
import {
  allPermissions,
  ids,
  viewOnlyPermissions,
  sampleLocationRef,
  ownAccount,
  sensorApiPath,
  sensorWith,
  createServerStub,
  enabledVpn,
  sampleLocation,
} from "../sensor.testing.ts";

const general = `/sensor/aps/${ids.sensor}/general`;
/** The sensor is disconnected and no values are stored. */
const away = { status: 502, body: { code: 509, error: "Com-link error (sensor)" } };
const open = (sensor: Sensor, address = `/sensor/${ids.sensor}`, permissions = allPermissions) =>
  openConsole(address, createServerStub(sensor, permissions, { [`POST ${sensorApiPath}/rpc`]: away }));
const menu = () => page.getByRole("navigation", { name: ids.sensor });
const entry = (name: string) => menu().getByRole("link", { name, exact: true });

test("SE-05 the head tells connection, id, type, firmware, and the time at the location, ticking", async () => {
  await open(sensorWith({ measurement: sampleLocationRef }));
  await expect.element(page.getByRole("heading", { level: 1, name: ids.sensor })).toBeVisible();
  const head = page.getByRole("main");
  await expect.element(head.getByText("Connected", { exact: true })).toBeVisible();
  await expect.element(head.getByText("APS", { exact: true })).toBeVisible();
  await expect.element(head.getByText("1.18.0", { exact: true })).toBeVisible();
  const clock = head.getByText(/^\d{2}\.\d{2}\.\d{4} \d{2}:\d{2}:\d{2}$/);
  await expect.element(clock).toBeVisible();
  const first = clock.element().textContent;
  // Kathmandu is 5:45 ahead of UTC. Compares instants, because a minute or day may end during the test.
  const [day, month, year, hour, minute, second] = first.split(/\D/).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const shown = Date.UTC(year, month - 1, day, hour, minute, second) - 345 * 60_000;
  expect(Math.abs(shown - Date.now())).toBeLessThan(30_000);
  await expect.poll(() => clock.element().textContent).not.toBe(first);
});

const presence = sensorWith().scomState;
type Presence = [string, Partial<Sensor["scomState"]>, string, string | RegExp];
async function showsPresence(...[, facts, word, tooltip]: Presence) {
  await open(sensorWith({ measurement: sampleLocationRef, scomState: { ...presence, ...facts } }));
  const state = page.getByRole("main").getByText(word, { exact: true });
  // The pointer may still be over the state, so it must leave and enter again.
  await userEvent.hover(page.getByRole("heading", { level: 1 }));
  await userEvent.hover(state);
  await expect.element(page.getByRole("tooltip")).toMatchTextContent(tooltip);
}
const presences: Presence[] = [
  [
    "gone for long",
    { isConnected: false, lastContactAt: new Date(Date.now() - 3.5 * 86_400_000).toISOString() },
    "Offline 3 d",
    /^Last seen \d{2} \w{3} \d{4}, [\d:]{8} GMT\+5:45$/,
  ],
  ["connected", {}, "Connected", "Connected since 20 Nov 2026, 15:45:00 GMT+5:45"],
  ["not answering", { isConnectedButDoesntRespond: true }, "Not responding", "Connected but not responding"],
  ["never there", { isConnected: false, conAt: null, lastContactAt: null }, "Never connected", "Disconnected"],
];
for (const [index, one] of presences.entries())
  test(`SE-12 the head of a sensor that is ${one[0]}`, { tags: index === 0 ? [] : "prove" }, () =>
    showsPresence(...one),
  );

test("SE-05 without a location the local time is a dash; without the right to view firmware there is none", async () => {
  await open(sensorWith(), general, viewOnlyPermissions);
  const head = page.getByRole("main");
  await expect.element(head.getByText("Local time")).toBeVisible();
  await expect.element(head.getByText("-", { exact: true })).toBeVisible();
  expect(head.getByText("Firmware").elements()).toHaveLength(0);
});

test(
  "SE-05 the menu: two groups, what is off says why by focus, and does not lead anywhere",
  { tags: "prove" },
  async () => {
    const { address } = await open(sensorWith());
    await expect.element(menu().getByRole("heading", { name: "CONFIGURATION" })).toBeVisible();
    await expect.element(menu().getByRole("heading", { name: "MAINTENANCE" })).toBeVisible();
    await expect.element(entry("General")).toHaveAttribute("aria-current", "page");
    const reasons = {
      Monitoring: "Ask our support team how you can activate this option",
      VPN: "Enable the VPN option on your sensor to activate this option",
      "Monitoring Logs": "This sensor doesn't have any monitoring logs yet",
    };
    for (const [name, reason] of Object.entries(reasons)) {
      await expect.element(entry(name)).toHaveAttribute("aria-disabled", "true");
      await entry(name).click({ force: true });
      await userEvent.hover(page.getByRole("heading", { level: 1 }));
      await userEvent.tab();
      await userEvent.tab({ shift: true });
      await expect.element(entry(name)).toHaveFocus();
      await expect.element(page.getByRole("tooltip")).toHaveTextContent(reason);
    }
    await expect.poll(address).toBe(general);
  },
);

test.each<[string, Partial<Sensor>, string | null]>([
  ["no license", { measurement: sampleLocationRef }, "Ask our support team how you can activate this option"],
  ["no location", { licenses: { monitoring: true } }, "You need to assign a location to the sensor to use monitoring"],
  ["license and location", { licenses: { monitoring: true }, measurement: sampleLocationRef }, null],
])("SE-05 Monitoring with %s", async (_case, facts, reason) => {
  await open(sensorWith(facts));
  await expect.element(entry("Monitoring")).toBeVisible();
  if (reason === null) await expect.element(entry("Monitoring")).not.toHaveAttribute("aria-disabled");
  else await expect.element(entry("Monitoring")).toHaveAccessibleDescription(reason);
});

test.each<[string, Partial<Sensor>, boolean]>([
  ["neither VPN nor PS.Connect", {}, false],
  ["VPN off on the sensor", { vpn: { ...enabledVpn, enabledOnSensor: false } as Sensor["vpn"] }, false],
  ["VPN on", { vpn: enabledVpn }, true],
  ["PS.Connect", { psconnect: { connectionStatus: "disconnected", statusChangedAt: null } }, true],
])("SE-05 the Firmware entry with %s", async (_case, facts, shown) => {
  const { address } = await open(sensorWith(facts), `/sensor/aps/${ids.sensor}/firmware`);
  await expect.element(entry("General")).toBeVisible();
  await expect.poll(address).toBe(shown ? `/sensor/aps/${ids.sensor}/firmware` : general);
  expect(entry("Firmware").elements()).toHaveLength(shown ? 1 : 0);
});

test.each(["monitoring", "vpn", "firmware", "nowhere"])(
  "SE-05 %s leads to General while it can't be opened, keeping the query",
  async (tab) => {
    const { address } = await open(sensorWith(), `/sensor/${ids.sensor}/${tab}?query=${encodeURIComponent("a=b&a=c")}`);
    await expect.poll(address).toBe(`${general}?a=b&a=c`);
  },
);

test("SE-04 SE-05 a destination that can be opened is opened", async () => {
  const { address } = await open(
    sensorWith({ vpn: enabledVpn }),
    `/sensor/${ids.sensor}/vpn?sensorID=7A`,
    viewOnlyPermissions,
  );
  await expect.poll(address).toBe(`/sensor/aps/${ids.sensor}/vpn?sensorID=7A`);
  await expect.element(page.getByRole("region", { name: "VPN" }).getByText("Not connected")).toBeVisible();
});

test("the entry Monitoring Logs is on once there are some", async () => {
  const sensor = sensorWith({ types: ["counting", "monitoringStatus"] });
  await openConsole(general, createServerStub(sensor, allPermissions, { "GET /api/v2/issue": listResponse([]) }));
  await expect.element(entry("Monitoring Logs")).not.toHaveAttribute("aria-disabled");
});

test.each([
  [
    "SE-06",
    "ZOD",
    [
      "Camera",
      "Measurement",
      "Group",
      "Data endpoints",
      "PS.Platform",
      "GPS",
      "Preview occupancy",
      "Preview cameras",
      "Preview GPS",
    ],
  ],
  ["SE-07", "PS.C1", ["Camera", "Applications", "Data endpoints", "Security", "Network", "Preview cameras"]],
] as const)("SE-05 %s a %s has its General page and what it is configured with", async (_row, type, sections) => {
  const segment = type === "ZOD" ? "zod" : "psc1";
  const { address } = await open(sensorWith({ type }), `/sensor/${ids.sensor}`);
  await expect.poll(address).toBe(`/sensor/${segment}/${ids.sensor}/general`);
  await expect.element(entry("General")).toHaveAttribute("aria-current", "page");
  const names = menu().getByRole("link").elements();
  expect(names.map(({ textContent }) => textContent)).toEqual(["Counts", "General", ...sections, "History"]);
});

test("SE-04 SE-06 a destination with a slash opens its page, or General for other types", async () => {
  const zod = await open(sensorWith({ type: "ZOD" }), `/sensor/${ids.sensor}/dataendpoint/psp?sensorID=7A`);
  await expect.poll(zod.address).toBe(`/sensor/zod/${ids.sensor}/dataendpoint/psp?sensorID=7A`);
  await zod.screen.unmount();
  const other = await open(sensorWith({ type: "PS.C1" }), `/sensor/zod/${ids.sensor}/dataendpoint/psp`);
  await expect.poll(other.address).toBe(`/sensor/psc1/${ids.sensor}/general`);
});

test.each<[string, Partial<Sensor>, unknown, RegExp]>([
  ["neither has a configuration", {}, null, /so this sensor is not monitored/],
  ["the location has one", {}, { connection: {} }, /uses the settings of its location/],
  ["the sensor has one", { monitoringConfig: {} }, null, /This sensor has its own settings/],
])("SE-05 the Monitoring tab: %s", async (_case, facts, monitoringConfig, sentence) => {
  const sensor = sensorWith({ licenses: { monitoring: true }, measurement: sampleLocationRef, ...facts });
  await openConsole(
    `/sensor/aps/${ids.sensor}/monitoring`,
    createServerStub(sensor, allPermissions, {
      [`GET /api/measurement/${ids.place}`]: { status: 200, body: { ...sampleLocation, monitoringConfig } },
    }),
  );
  await expect.element(page.getByRole("region", { name: "Monitoring" }).getByText(sentence)).toBeVisible();
});

test(
  "SE-05 a location that can't be viewed is said, and the form is there all the same",
  { tags: "prove" },
  async () => {
    const sensor = sensorWith({ licenses: { monitoring: true }, measurement: sampleLocationRef });
    await openConsole(
      `/sensor/aps/${ids.sensor}/monitoring`,
      createServerStub(sensor, allPermissions, { [`GET /api/measurement/${ids.place}`]: notFound }),
    );
    await expect.element(page.getByText(/You don't have access to this location/)).toBeVisible();
    await expect.element(page.getByRole("switch", { name: "Monitoring", exact: true })).not.toBeChecked();
  },
);

test("SE-05 the log of a type without such a page is that of its location, filtered by the sensor", async () => {
  const sensor = sensorWith({ type: "ZOD", measurement: sampleLocationRef, types: ["monitoringStatus"] });
  const { address } = await openConsole(
    `/sensor/${ids.sensor}/logs?query=${encodeURIComponent("issueType=connection")}`,
    createServerStub(sensor, allPermissions, {
      [`GET /api/measurement/${ids.place}`]: { status: 200, body: { ...sampleLocation, types: ["monitoringStatus"] } },
      "GET /api/v2/issue": listResponse([]),
    }),
  );
  await expect.poll(address).toBe(`/location/${ids.place}/issues?issueType=connection&sensorIDs=${ids.sensor}`);
});

test(
  "SE-05 licenses are switched immediately by root, restored on refusal, and hidden to others",
  { tags: "prove" },
  async () => {
    const sensor = sensorWith();
    let sent: unknown;
    let status = 200;
    const root = { ...ownAccount, parentAccounts: [], permissions: allPermissions, email: "root@example.com" };
    const server = createServerStub(sensor, allPermissions, {
      "GET /api/auth/user": { status: 200, body: root },
      [`PUT ${sensorApiPath}/licenses`]: (body) => {
        sent = body;
        return status === 200
          ? { status, body: { ...sensor, licenses: body, version: 5 } }
          : { status, body: { code: 306, error: "No permission." } };
      },
    });
    const { screen } = await openConsole(general, server);
    const toggle = page.getByRole("switch", { name: "Monitoring license" });
    await toggle.click();
    await expect.element(toggle).toBeChecked();
    await expect.poll(() => sent).toEqual({ monitoring: true });
    status = 403;
    await toggle.click();
    await expect.element(page.getByRole("alert").filter({ hasText: "No permission." })).toBeVisible();
    await expect.element(toggle).toBeChecked();
    await screen.unmount();
    await open(sensor, general);
    await expect.element(page.getByRole("switch", { name: "Re-registration" })).toBeVisible();
    expect(page.getByRole("switch", { name: "Monitoring license" }).elements()).toHaveLength(0);
  },
);

test("DE-01 rejected records, a wrong clock and a shared identity are shown with an example", async () => {
  const at = "2026-11-20T10:00:00.000Z";
  const record = { q: 7, t: "count", lines: [{ id: "door", in: -1, out: 0 }] };
  const problem = {
    sens: ids.sensor,
    rejected: {
      count: 1200,
      since: at,
      reasons: [{ reason: "lines.0.in: too small", count: 1200 }],
      last: { at, reason: "lines.0.in: too small", record },
    },
    clockOffMs: 899_998,
    restartedAt: at,
    identity: { lastAt: at, addresses: ["10.0.0.1", "10.0.0.2"] },
  };
  const asked: URLSearchParams[] = [];
  await openConsole(
    `/sensor/${ids.sensor}`,
    createServerStub(sensorWith({ measurement: sampleLocationRef }), allPermissions, {
      "GET /api/v2/data-problem": (_, query) => {
        asked.push(query);
        return { status: 200, body: [problem] };
      },
    }),
  );
  const card = page.getByRole("region", { name: "Data problems", exact: true });
  for (const sentence of [
    "1,200 records rejected since 20 Nov 2026, 15:45:00 GMT+5:45.",
    "Sensor clock is wrong by 15 minutes (ahead).",
    "The sensor restarted its record numbers on 20 Nov 2026, 15:45:00 GMT+5:45.",
    "Two devices use the identity of this sensor, from the IP addresses 10.0.0.1 and 10.0.0.2.",
  ])
    await expect.element(card.getByText(sentence, { exact: true })).toBeVisible();
  await expect.element(card.getByRole("row", { name: "lines.0.in: too small 1200" })).toBeVisible();
  expect([...(asked[0] ?? [])]).toEqual([["sens", ids.sensor]]);
  await expect.element(card.getByText(/"in": -1/)).not.toBeVisible();
  await card.getByRole("button", { name: "Show latest example" }).click();
  await expect.element(card.getByText(/"in": -1/)).toBeVisible();
});
