// Tests requests, states, countdown and failures of the VPN tab with stubbed responses.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { VpnStatus } from "@psp/contract/vpn/vpn.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { type StubbedResponse, stubServer } from "../testing/console.tsx";
import { renderSignedIn } from "../testing/render.tsx";
import {
  allPermissions,
  viewOnlyPermissions,
  sensorApiPath,
  sensorWith,
  createServerStub,
  enabledVpn,
} from "../sensor/sensor.testing.ts";
import { VpnCard } from "./VpnTab.tsx";

type VpnFacts = Partial<NonNullable<Sensor["vpn"]>>;
const withVpn = (facts: VpnFacts, more: Partial<Sensor> = {}) =>
  sensorWith({ vpn: { ...enabledVpn, ...facts } as Sensor["vpn"], ...more });

let connections = 0;
function status(facts: Partial<VpnStatus> = {}): VpnStatus {
  connections += 1;
  return {
    connected: true,
    connectedSince: new Date(Date.UTC(2026, 10, 20, 10) + connections * 1000).toISOString(),
    disconnectedSince: null,
    serverID: "eu",
    serverName: "Europe",
    serverBaseUrl: "https://vpn.example.com",
    publicAddress: "198.51.100.7",
    vpnAddress: "10.8.0.2",
    vpnSensorID: "020000007a01",
    ...facts,
  };
}
const link = "https://hmi-020000007a01.vpn.example.com/";

/** The fake window that the stubbed `window.open` returns. */
type Opened = { opener: unknown; location: { replace: (to: string) => void } };
const opened: { to: string; opener: unknown }[] = [];
let mayOpen = true;
const realOpen = window.open;
beforeEach(() => {
  opened.length = 0;
  mayOpen = true;
  window.open = () => {
    if (!mayOpen) return null;
    const apart: Opened = {
      opener: window,
      location: { replace: (to) => void opened.push({ to, opener: apart.opener }) },
    };
    return apart as unknown as Window;
  };
});
afterEach(() => void (window.open = realOpen));

async function show(
  sensor: Sensor,
  permissions = allPermissions,
  answer: () => StubbedResponse | Promise<StubbedResponse> = () => accepted,
) {
  const asked: unknown[] = [];
  stubServer(
    createServerStub(sensor, permissions, {
      [`PUT ${sensorApiPath}`]: (sent) => {
        asked.push(sent);
        return answer();
      },
    }),
  );
  const { become, leave } = await renderSignedIn(VpnCard, { sensor });
  return { asked, become: (next: Sensor) => become({ sensor: next }), leave };
}
const accepted: StubbedResponse = { status: 200, body: withVpn({ connect: true }) };
const once = [{ connectToVPN: true }];
const card = () => page.getByRole("region", { name: "VPN" });
const says = (text: string | RegExp) => expect.element(card().getByRole("status")).toMatchTextContent(text);
const button = (name: string) => card().getByRole("button", { name });
const openLink = () => card().getByRole("link", { name: "Open configuration page" });
const timer = () => card().getByRole("timer");
const stopTime = () => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test("VP-01 entering asks the sensor to connect, once", async () => {
  const { asked, become } = await show(withVpn({}));
  await expect.poll(() => asked).toEqual(once);
  await become(withVpn({ connect: true }));
  await says("The sensor is connecting. This usually takes less than a minute.");
  await expect.element(card().getByText("Pending", { exact: true })).toBeVisible();
  await expect.element(card().getByRole("progressbar", { name: "Connecting to the VPN" })).toBeVisible();
  await become(withVpn({ connect: false }));
  await says("The sensor is not connected to the VPN.");
  expect(asked).toEqual(once);
  await button("Connect").click();
  await expect.poll(() => asked).toEqual([...once, ...once]);
});

test("VP-01 an existing request is renewed before it expires, and every twenty minutes", async () => {
  stopTime();
  const { asked } = await show(withVpn({ connect: true }));
  await says(/^The sensor is connecting/);
  expect(asked).toEqual([]);
  await pass(60);
  await expect.poll(() => asked).toHaveLength(1);
  await pass(19 * 60);
  expect(asked).toHaveLength(1);
  await pass(60);
  await expect.poll(() => asked).toHaveLength(2);
});

test("VP-01 a repeat that fails is no error yet, and is tried again a minute later", async () => {
  stopTime();
  const { asked } = await show(withVpn({ connect: true }), allPermissions, () => ({
    status: 500,
    body: { code: 101, error: "Internal error." },
  }));
  await says(/^The sensor is connecting/);
  for (const n of [1, 2]) {
    await pass(60);
    await expect.poll(() => asked).toHaveLength(n);
  }
  await expect.element(card().getByText("Pending", { exact: true })).toBeVisible();
});

test("VP-01 PE-02 who may not edit the sensor asks nothing, and the tab says why", async () => {
  const { asked } = await show(withVpn({}), viewOnlyPermissions);
  await says("The sensor is not connected to the VPN. To connect this sensor, you need permission to edit it.");
  expect(button("Connect").elements()).toHaveLength(0);
  expect(asked).toEqual([]);
});

test.each<[string, string, VpnFacts, Partial<Sensor>, string]>([
  [
    "offline",
    "Pending",
    { connect: true },
    { scomState: { ...sensorWith().scomState, isConnected: false, lastContactAt: null } },
    "The sensor is offline. It connects to the VPN as soon as it is back online.",
  ],
  [
    "connected by its last contact alone",
    "Pending",
    { connect: true },
    { scomState: { ...sensorWith().scomState, isConnected: false } },
    "The sensor is not connected right now. It connects to the VPN the next time it contacts PS.Platform.",
  ],
  ["about to leave", "Pending", { connect: false, vpnStatus: status() }, {}, "The sensor is leaving the VPN."],
  [
    "sleeping",
    "Sleeping",
    { connect: false, vpnStatus: status({ connected: false, disconnectedSince: "2026-11-20T11:00:00.000Z" }) },
    {},
    "The sensor left the VPN because it was no longer needed. To connect this sensor, you need permission to edit it.",
  ],
])("VP-01 the tab of a sensor that is %s", async (_case, word, facts, more, sentence) => {
  await show(withVpn(facts, more), viewOnlyPermissions);
  await says(sentence);
  await expect.element(card().getByText(word, { exact: true })).toBeVisible();
});

test("VP-01 a refused request says so and can be tried again", async () => {
  const refusal: StubbedResponse = { status: 502, body: { code: 509, error: "Com-link error (sensor)" } };
  let answer = refusal;
  const { asked, become } = await show(withVpn({}), allPermissions, () => answer);
  const alert = card().getByRole("alert");
  await expect.element(alert.getByText("Requesting the sensor to connect failed.")).toBeVisible();
  await expect.element(alert.getByText(/^Com-link error \(sensor\)/)).toBeVisible();
  await expect.element(card().getByText("Error", { exact: true }).first()).toBeVisible();
  answer = accepted;
  await button("Try again").click();
  await expect.element(card().getByRole("status")).toHaveFocus();
  await expect.poll(() => asked).toHaveLength(2);
  await become(withVpn({ connect: true }));
  await says(/^The sensor is connecting/);
  expect(alert.elements()).toHaveLength(0);
});

test("VP-01 once connected, the page opens after five seconds in an isolated window", async () => {
  const { become } = await show(withVpn({ connect: true }));
  await says(/^The sensor is connecting/);
  stopTime();
  const connected = withVpn({ connect: true, vpnStatus: status() });
  await become(connected);
  await says("The sensor is connected to the VPN. The configuration page opens in 5 seconds.");
  await expect.element(timer()).toHaveTextContent("The configuration page opens in 5 s");
  await expect.element(timer()).toHaveAttribute("aria-live", "off");
  await expect.element(openLink()).toHaveAttribute("href", link);
  await expect.element(openLink()).toHaveAttribute("rel", "noopener noreferrer");
  await expect.element(openLink()).toHaveAttribute("target", "_blank");
  await pass(2);
  await become({ ...connected, groups: ["north"] });
  await expect.element(timer()).toHaveTextContent("The configuration page opens in 3 s");
  await says("The sensor is connected to the VPN. The configuration page opens in 5 seconds.");
  (button("Cancel").element() as HTMLElement).focus();
  expect(opened).toEqual([]);
  await pass(3);
  expect(opened).toEqual([{ to: link, opener: null }]);
  await says("The sensor is connected to the VPN. The configuration page opened in a new window.");
  await expect.element(openLink()).toHaveFocus();
  await pass(60);
  expect(opened).toHaveLength(1);
});

test("VP-01 a canceled countdown restarts only for another connection", async () => {
  stopTime();
  const connected = withVpn({ connect: true, vpnStatus: status() });
  const first = await show(connected);
  await expect.element(timer()).toBeVisible();
  await userEvent.click(button("Cancel"));
  expect(timer().elements()).toHaveLength(0);
  await expect.element(openLink()).toHaveFocus();
  await pass(10);
  await first.leave();
  const { become } = await show(connected);
  await says("The sensor is connected to the VPN.");
  await pass(10);
  expect([timer().elements(), opened]).toEqual([[], []]);
  await become(withVpn({ connect: true }));
  await become(withVpn({ connect: true, vpnStatus: status() }));
  await expect.element(timer()).toBeVisible();
  await pass(5);
  expect(opened).toEqual([{ to: link, opener: null }]);
});

test("VP-01 who follows the link cancels the countdown", async () => {
  stopTime();
  await show(withVpn({ connect: true, vpnStatus: status() }));
  await expect.element(timer()).toBeVisible();
  const anchor = openLink().element() as HTMLElement;
  anchor.addEventListener("click", (event) => event.preventDefault());
  await userEvent.click(openLink());
  expect(timer().elements()).toHaveLength(0);
  await pass(10);
  expect(opened).toEqual([]);
});

test("VP-01 a sensor that leaves meanwhile takes its countdown along", async () => {
  stopTime();
  const { become } = await show(withVpn({ connect: true, vpnStatus: status() }));
  await expect.element(timer()).toBeVisible();
  await pass(4);
  await become(withVpn({ connect: true, vpnStatus: status({ connected: false }) }));
  await says(/^The sensor is connecting/);
  await pass(10);
  expect(opened).toEqual([]);
});

test("VP-01 where the browser does not let a window open the link stays, and that is said", async () => {
  stopTime();
  mayOpen = false;
  await show(withVpn({ connect: true, vpnStatus: status() }));
  await expect.element(timer()).toBeVisible();
  await pass(5);
  await expect
    .element(card().getByRole("alert"))
    .toHaveTextContent("Your browser blocked the new window. Open the configuration page with the link below.");
  await expect.element(openLink()).toHaveAttribute("href", link);
});

test.each<[string, Partial<VpnStatus>]>([
  ["no base address", { serverBaseUrl: null }],
  ["a base that is none", { serverBaseUrl: "javascript:alert(1)" }],
  ["a name that is none", { vpnSensorID: "a.evil" }],
])("VP-01 T-17 with %s there is no link, and that is said", async (_case, facts) => {
  stopTime();
  await show(withVpn({ connect: true, vpnStatus: status(facts) }));
  await expect.element(card().getByRole("alert")).toHaveTextContent("Unable to construct a link");
  await pass(10);
  expect([opened, openLink().elements()]).toEqual([[], []]);
});

test("VP-01 what is known of the connection is listed, and a platform without VPN servers says so", async () => {
  const facts = { connect: true, vpnStatus: status({ connectedSince: "2026-11-20T10:00:00.000Z" }), vpnServerIDs: [] };
  await show(withVpn(facts), viewOnlyPermissions);
  for (const fact of ["Europe", "10.8.0.2", "198.51.100.7", "VPN server", "Connected since"])
    await expect.element(card().getByText(fact, { exact: true })).toBeVisible();
  await expect.element(card().getByText("No VPN server is set up, so the sensor can't connect.")).toBeVisible();
});
