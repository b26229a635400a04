// Tests a settings section while the sensor restarts, applies a change, disconnects and reconnects.
import { validValues } from "@psp/contract/section/section.testing.ts";
import { withValueAt } from "@psp/contract/section/values.ts";
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { queryClient } from "../api/query-client.ts";
import { testTimerOptions, advanceTime } from "../testing/time.ts";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import { ids, viewOnlyPermissions } from "../sensor/sensor.testing.ts";
import { sectionKey } from "./section.queries.ts";
import { elementId } from "./section.values.ts";
import {
  sendLiveMessage,
  box,
  button,
  choice,
  choose,
  connectedState,
  createDeviceStub,
  disconnectedState,
  failureResponse,
  openSection,
  refusalResponse,
  clickSave,
  secret,
  servedSection,
  toggle,
} from "./section.testing.ts";

const dialog = () => page.getByRole("alertdialog");
const status = (sentence: string | RegExp) => page.getByRole("status").filter({ hasText: sentence });
const offline = "The sensor is offline. Values of 20.11.2026 12:05.";
const missing =
  "PS.Connect remote access is not available for this sensor. It is either disabled or unavailable in the installed firmware.";

const pspValues = (broker: string) => withValueAt(validValues("ZOD", "psp"), "broker", broker);
const psp = (facts: Partial<ServedSection> = {}) =>
  createDeviceStub({ psp: servedSection(pspValues("old.example.com:8883"), facts) });
const measurement = (facts: Partial<ServedSection> = {}, smoothingS = 10) =>
  servedSection({ ...validValues("ZOD", "measurement"), smoothingS }, facts);
const smoothing = () => box("Smoothing (s)");
const askAgain = (key: string) => queryClient.invalidateQueries({ queryKey: sectionKey(ids.sensor, key) });

test("SE-06 a change that waits for a restart: the notice, its button and question, and the call", async () => {
  const device = createDeviceStub({
    camera: servedSection(validValues("ZOD", "camera")),
    group: servedSection(validValues("ZOD", "group")),
  });
  device.applied = "restart";
  await openSection("ZOD", "camera", device);
  await expect.element(choice("Mains frequency")).toHaveAccessibleDescription("Needs a restart");
  await choose(choice("Mains frequency"), "60 Hz");
  await clickSave();
  await expect.element(status("Takes effect after a restart.")).toBeVisible();
  await button("Restart sensor").click();
  await expect.element(dialog().getByText("The sensor restarts. Counting pauses about a minute.")).toBeVisible();
  await button("Cancel", dialog()).click();
  await expect.element(dialog()).not.toBeInTheDocument();
  expect(device.asked).not.toContain("device.restart");
  await button("Restart sensor").click();
  device.refusals = [refusalResponse(-32_001)];
  await button("Restart", dialog()).click();
  await expect.element(dialog().getByText("The sensor is busy. Try again.")).toBeVisible();
  await button("Restart", dialog()).click();
  await expect.element(status("Takes effect after a restart.")).not.toBeInTheDocument();
  await expect.poll(() => document.activeElement?.id).toBe(elementId("cameras"));
  expect(device.asked.filter((method) => method === "device.restart")).toHaveLength(2);
});

test("SE-07 a pending restart is shown on later visits, with a button for editors only", async () => {
  const device = createDeviceStub({ camera: servedSection(validValues("PS.C1", "camera"), { restartNeeded: true }) });
  const { screen } = await openSection("PS.C1", "camera", device);
  await expect.element(status("Takes effect after a restart.")).toBeVisible();
  await expect.element(button("Restart sensor")).toBeVisible();
  await screen.unmount();
  await openSection("PS.C1", "camera", device, { permissions: viewOnlyPermissions });
  await expect.element(status("Takes effect after a restart.")).toBeVisible();
  expect(button("Restart sensor").elements()).toEqual([]);
});

/** Also fakes intervals, so that the test controls polling. */
const withIntervals = {
  toFake: [...testTimerOptions.toFake, "setInterval", "clearInterval"],
} satisfies Parameters<typeof vi.useFakeTimers>[0];

const seconds = () => Number(/\d+/.exec(status(/^Applying/).element().textContent)?.[0]);

async function apply(device: ReturnType<typeof createDeviceStub>) {
  device.applied = "confirm";
  const opened = await openSection("ZOD", "psp", device);
  await box("Server address").fill("new.example.com:8883");
  await clickSave();
  await button("Apply", dialog()).click();
  await expect.element(status(/^Applying, \d+ s left$/)).toBeVisible();
  expect(seconds()).toBeLessThanOrEqual(60);
  return opened;
}

test("SE-06 a change under way counts down, and is then confirmed", async () => {
  const device = psp();
  await apply(device);
  const { pending, ...rest } = device.has["psp"] as ServedSection;
  device.has["psp"] = { ...rest, lastChange: { rev: pending?.rev ?? 0, outcome: "confirmed", at: Date.now() } };
  await askAgain("psp");
  await expect.element(status("New settings confirmed.")).toBeVisible();
  await expect.element(box("Server address")).toHaveValue("new.example.com:8883");
});

test("SE-06 a sensor that went back says so, and the form shows what it has", { tags: "prove" }, async () => {
  const device = psp();
  await apply(device);
  const { pending, values: _new, ...rest } = device.has["psp"] as ServedSection;
  device.has["psp"] = {
    ...rest,
    values: pspValues("old.example.com:8883"),
    lastChange: { rev: pending?.rev ?? 0, outcome: "rolledBack", at: Date.now() },
  };
  await askAgain("psp");
  await expect.element(status("The sensor went back to its previous settings.")).toBeVisible();
  await expect.element(box("Server address")).toHaveValue("old.example.com:8883");
});

test("SE-06 the countdown goes on by itself, on a page that is opened meanwhile, too", { tags: "prove" }, async () => {
  await openSection("ZOD", "psp", psp({ rev: 4, pending: { rev: 4, until: Date.now() + 40_000 } }));
  await expect.element(status(/^Applying, \d+ s left$/)).toBeVisible();
  expect(seconds()).toBeLessThanOrEqual(40);
  await page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name: "GPS" }).click();
  await expect.element(status(/^Applying/)).not.toBeInTheDocument();
  vi.useFakeTimers(testTimerOptions);
  await page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name: "PS.Platform" }).click();
  await expect.element(status(/^Applying/)).toBeVisible();
  await advanceTime(1000);
  const before = seconds();
  await advanceTime(5000);
  expect(before - seconds()).toBe(5);
});

test(
  "SE-06 a pending change is tracked until its timeout, and its outcome shown on reconnect",
  { tags: "prove" },
  async () => {
    const pending = { rev: 4, until: Date.now() + 40_000 };
    const device = psp({ rev: 4, pending });
    const { sensor } = await openSection("ZOD", "gps", device);
    await expect.element(page.getByText("No values known yet.")).toBeVisible();
    vi.useFakeTimers(withIntervals);
    await page.getByRole("navigation", { name: ids.sensor }).getByRole("link", { name: "PS.Platform" }).click();
    await expect.element(status(/^Applying/)).toBeVisible();
    // The sensor is still marked as connected, but doesn't respond.
    device.has["psp"] = servedSection(pspValues("old.example.com:8883"), { rev: 4, pending, source: "stored" });
    const times = () => device.asked.length;
    await advanceTime(30_000);
    await expect.element(page.getByText(offline)).toBeVisible();
    await expect.element(status(/^Applying/)).toBeVisible();
    await advanceTime(25_000);
    await expect.element(status(/^Applying/)).not.toBeInTheDocument();
    await expect.element(page.getByText(offline)).toBeVisible();
    const before = times();
    await advanceTime(20_000);
    expect(times() - before).toBeLessThanOrEqual(4);
    sendLiveMessage(sensor, { psconnect: disconnectedState });
    await advanceTime(100);
    const atRest = times();
    await advanceTime(20_000);
    expect(times()).toBe(atRest);
    const lastChange = { rev: 4, outcome: "rolledBack", at: Date.now() } as const;
    device.has["psp"] = servedSection(pspValues("old.example.com:8883"), { rev: 4, lastChange });
    sendLiveMessage(sensor, { psconnect: connectedState, version: 9 });
    await expect.element(status("The sensor went back to its previous settings.")).toBeVisible();
  },
);

test("SE-06 a change that was under way when the values were kept is not followed", async () => {
  const pending = { rev: 4, until: Date.now() + 40_000 };
  await openSection("ZOD", "psp", psp({ rev: 4, source: "stored", pending }), { psconnect: disconnectedState });
  await expect.element(page.getByText(offline)).toBeVisible();
  expect(status(/^Applying/).elements()).toEqual([]);
});

test("SE-06 a clock of a sensor that is wrong promises no more than a minute", async () => {
  await openSection("ZOD", "psp", psp({ rev: 4, pending: { rev: 4, until: Date.now() + 4_000_000 } }));
  await expect.element(status(/^Applying, \d+ s left$/)).toBeVisible();
  expect(seconds()).toBeLessThanOrEqual(60);
});

test("SE-06 the sensor goes away while its page is open: its last values with their time, and no Save", async () => {
  const device = createDeviceStub({ measurement: measurement() });
  const { sensor } = await openSection("ZOD", "measurement", device);
  await expect.element(smoothing()).toHaveValue("10");
  expect(page.getByText(offline).elements()).toEqual([]);
  device.has["measurement"] = measurement({ source: "stored" });
  sendLiveMessage(sensor, { psconnect: disconnectedState });
  await expect.element(page.getByText(offline)).toBeVisible();
  // The header still says "Connected", because the sensor still sends data.
  await expect.element(page.getByText(/^This sensor is currently disconnected from PS\.Connect\./)).toBeVisible();
  await expect.element(button("Save")).toHaveAttribute("aria-disabled", "true");
  await expect.element(button("Save")).toHaveAttribute("aria-description", offline);
  await smoothing().fill("12");
  await expect.element(smoothing()).toHaveValue("12");
  await button("Save").click({ force: true });
  expect(device.sent).toEqual([]);
});

test("SE-06 the sensor comes back: its values are read again, or offered where something was typed", async () => {
  const device = createDeviceStub({ measurement: measurement({ source: "stored" }) });
  const { sensor } = await openSection("ZOD", "measurement", device, { psconnect: disconnectedState });
  await expect.element(page.getByText(offline)).toBeVisible();
  device.has["measurement"] = measurement({ rev: 4 }, 20);
  sendLiveMessage(sensor, { psconnect: connectedState });
  await expect.element(smoothing()).toHaveValue("20");
  await expect.element(page.getByText(offline)).not.toBeInTheDocument();
  expect(page.getByText("The sensor is back.").elements()).toEqual([]);

  device.has["measurement"] = measurement({ rev: 4, source: "stored" }, 20);
  sendLiveMessage(sensor, { psconnect: disconnectedState, version: 9 });
  await expect.element(page.getByText(offline)).toBeVisible();
  await smoothing().fill("33");
  device.has["measurement"] = measurement({ rev: 5 }, 40);
  sendLiveMessage(sensor, { psconnect: connectedState, version: 10 });
  await expect.element(page.getByText("The sensor is back.")).toBeVisible();
  await expect.element(smoothing()).toHaveValue("33");
  await button("Load new values").click();
  await expect.element(smoothing()).toHaveValue("40");
  await expect.element(page.getByText("The sensor is back.")).not.toBeInTheDocument();
  await expect.element(choice("Interval")).toHaveFocus();
});

test.each([
  [
    "is refused",
    failureResponse(504, 504, "Forwarding RPC failed (measurement)"),
    "Forwarding RPC failed (measurement)",
  ],
  ["gives old ones", null, offline],
])("SE-06 new values are to be loaded, and the question %s: the entries stay", async (_case, refused, sentence) => {
  const device = createDeviceStub({ measurement: measurement() });
  const { answer } = device;
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("12");
  device.has["measurement"] = measurement({ rev: 8 }, 50);
  await askAgain("measurement");
  const old = measurement({ source: "stored" });
  device.answer = (body) => refused ?? ((device.has["measurement"] = old), answer(body));
  await button("Load new values").click();
  await expect.element(page.getByText(sentence)).toBeVisible();
  await expect.element(smoothing()).toHaveValue("12");
  await expect.element(button("Discard")).not.toHaveAttribute("aria-disabled", "true");
  expect(JSON.stringify(sessionStorage)).toContain('\\"smoothingS\\":12');
});

test("SE-06 what was changed elsewhere meanwhile is offered over entries", async () => {
  const device = createDeviceStub({ measurement: measurement() });
  await openSection("ZOD", "measurement", device);
  await smoothing().fill("12");
  device.has["measurement"] = measurement({ rev: 8 }, 50);
  await askAgain("measurement");
  await expect.element(page.getByText("The configuration was changed meanwhile.")).toBeVisible();
  await button("Load new values").click();
  await expect.element(smoothing()).toHaveValue("50");
});

test("SE-06 nothing was ever read of a sensor that is away", async () => {
  await openSection("ZOD", "measurement", createDeviceStub({}), { psconnect: disconnectedState });
  await expect.element(page.getByText("No values known yet.")).toBeVisible();
  expect(button("Save").elements()).toEqual([]);
});

test(
  "SE-06 a sensor without stored values is retried manually, and automatically while connected",
  { tags: "prove" },
  async () => {
    const device = createDeviceStub({});
    const { sensor } = await openSection("ZOD", "measurement", device, { psconnect: disconnectedState });
    await expect.element(page.getByText("No values known yet.")).toBeVisible();
    const times = () => device.asked.length;
    vi.useFakeTimers(withIntervals);
    await advanceTime(20_000);
    expect(times()).toBe(1);
    await button("Try again").click();
    await expect.poll(times).toBe(2);
    await expect.element(page.getByText("No values known yet.")).toBeVisible();
    sendLiveMessage(sensor, { psconnect: connectedState });
    await expect.poll(times).toBe(3);
    // Waits for the response, because the next poll starts only after it.
    await expect.poll(() => queryClient.getQueryState(sectionKey(ids.sensor, "measurement"))?.fetchStatus).toBe("idle");
    const alert = page.getByRole("alert").filter({ hasText: "No values known yet." }).element();
    await advanceTime(5100);
    expect(times()).toBe(4);
    // Polling in the background doesn't replace the message.
    expect(alert.isConnected).toBe(true);
    device.has["measurement"] = measurement();
    await advanceTime(5100);
    await expect.element(smoothing()).toHaveValue("10");
    await advanceTime(20_000);
    expect(times()).toBe(5);
  },
);

test(
  "SE-06 what the device states with a time says it exactly, with its zone, where it is pointed at",
  { tags: "prove" },
  async () => {
    const connectedSince = new Date(2026, 10, 20, 11, 5, 7).getTime();
    await openSection("ZOD", "psp", psp({ info: { connectedSince } }));
    await userEvent.hover(page.getByRole("heading", { level: 1 }));
    await userEvent.hover(page.getByText("20.11.2026 11:05", { exact: true }));
    await expect.element(page.getByRole("tooltip")).toHaveTextContent(formatExactTime(connectedSince));
  },
);

test("SE-06 a sensor without PS.Connect: the fixed sentence, with and without values", async () => {
  const { screen } = await openSection("ZOD", "measurement", createDeviceStub({}), { psconnect: null });
  await expect.element(page.getByText(missing)).toBeVisible();
  await screen.unmount();
  const device = createDeviceStub({ measurement: measurement({ source: "stored" }) });
  await openSection("ZOD", "measurement", device, { psconnect: null });
  await expect.element(page.getByText(missing)).toBeVisible();
  await expect.element(smoothing()).toHaveValue("10");
  await expect.element(button("Save")).toHaveAttribute("aria-disabled", "true");
});

test("SE-06 a sensor that does not answer the first question can be asked again", async () => {
  const device = createDeviceStub({ measurement: measurement() });
  const { answer } = device;
  device.answer = () => failureResponse(504, 504, "Forwarding RPC failed (measurement)");
  await openSection("ZOD", "measurement", device);
  await expect.element(page.getByText("Forwarding RPC failed (measurement)")).toBeVisible();
  device.answer = answer;
  await button("Try again").click();
  await expect.element(smoothing()).toHaveValue("10");
});

test("SE-06 SE-07 who may only view reads the fields, and finds neither Save nor anything to add or clear", async () => {
  const endpoint = { id: "e1", name: "BI", enabled: true, url: "https://in.example.com", username: "us" };
  const device = createDeviceStub({ dataendpoint: servedSection({ endpoints: [{ ...endpoint, passwordSet: true }] }) });
  await openSection("PS.C1", "dataendpoint", device, { permissions: viewOnlyPermissions });
  await expect.element(page.getByText("You can view but not change this sensor.")).toBeVisible();
  for (const field of [box("Name"), box("Address"), toggle("Enabled"), secret("Password")])
    await expect.element(field).toHaveAttribute("aria-readonly", "true");
  await expect.element(secret("Password")).toHaveAccessibleDescription("Set");
  await toggle("Enabled").click();
  await expect.element(toggle("Enabled")).toBeChecked();
  for (const name of ["Save", "Discard", "Add endpoint", "Remove BI", "Clear Password"])
    expect(button(name).elements(), name).toEqual([]);
});

test("SE-06 who may only view can't open a choice", async () => {
  await openSection("ZOD", "measurement", createDeviceStub({ measurement: measurement() }), {
    permissions: viewOnlyPermissions,
  });
  await expect.element(choice("Interval")).toHaveAttribute("aria-readonly", "true");
  await choice("Interval").click();
  await expect.element(choice("Interval")).toHaveTextContent("5 min");
  expect(page.getByRole("listbox").elements()).toEqual([]);
});
