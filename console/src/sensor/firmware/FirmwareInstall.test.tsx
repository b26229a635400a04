// Tests the texts and actions of the installation card, with stubbed responses.
import { pendingCancellationInfo, pausedInstallationInfo } from "@psp/contract/sensor/install-progress.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { type StubbedResponses, stubServer } from "../../testing/console.tsx";
import { FirmwareInstall } from "./FirmwareInstall.tsx";
import { renderSignedIn } from "../../testing/render.tsx";
import { waitForAppearance } from "../../testing/shown.ts";
import {
  allPermissions,
  ids,
  viewOnlyPermissions,
  sensorApiPath,
  sensorWith,
  createServerStub,
} from "../sensor.testing.ts";

const newer = { _id: ids.newer, name: "2.0.0", isDeleted: false, type: "APS" as const };
const task = (facts: Partial<NonNullable<Sensor["sensorUpdateTask"]>> = {}): Sensor["sensorUpdateTask"] => ({
  status: null,
  artifactID: ids.newer,
  createdAt: "2026-11-20T09:30:00.000Z",
  createdByAccount: ids.self,
  statusChangedAt: null,
  info: null,
  ...facts,
});
const at = (state: NonNullable<Sensor["artifactInstallationState"]>["state"], ok = true) => ({
  artifact: newer,
  sensorUpdateTask: task(),
  artifactInstallationState: { ok, state },
});

async function open(facts: Partial<Sensor>, permissions = allPermissions, more: StubbedResponses = {}) {
  const sensor = sensorWith(facts);
  stubServer(createServerStub(sensor, permissions, more));
  const { become } = await renderSignedIn(FirmwareInstall, { sensor });
  return { become: (next: Partial<Sensor>) => become({ sensor: sensorWith(next) }) };
}
const card = () => page.getByRole("region", { name: "Firmware installation" });
const cancel = () => card().getByRole("button", { name: "Cancel Installation" });
const bar = () => card().getByRole("progressbar", { name: "Installation progress" });

test.each([
  ["INITIATE", 0],
  ["DOWNLOAD", 25],
  ["DOWNLOADED", 50],
  ["RUNNING", 75],
  ["FINISHED", 100],
] as const)("SE-09 %s shows %i percent and Installing", async (state, percent) => {
  await open(at(state));
  await expect.element(bar()).toHaveAttribute("aria-valuenow", String(percent));
  await expect.element(card().getByText(`${percent} %`, { exact: true })).toBeVisible();
  await expect.element(card().getByText("Installing", { exact: true })).toBeVisible();
});

test.each([
  ["UpdateInitiatedOnSensor", "Success"],
  ["UpdateFailed", "Failed"],
  ["UpdateCanceled", "Canceled"],
] as const)("SE-09 status %s reads %s, without a bar and without Cancel Installation", async (status, word) => {
  const statusChangedAt = "2026-11-20T09:40:00.000Z";
  await open({ artifact: newer, sensorUpdateTask: task({ status, statusChangedAt }) });
  await expect.element(card().getByText(word, { exact: true }).first()).toBeVisible();
  expect(bar().elements()).toHaveLength(0);
  expect(cancel().elements()).toHaveLength(0);
});

test("SE-09 says which firmware, since when and by whom, and follows what happens", async () => {
  const { become } = await open({ artifact: newer, sensorUpdateTask: task() });
  await expect.element(card().getByText("2.0.0")).toBeVisible();
  await expect.element(card().getByText("1.18.0")).toBeVisible();
  await expect.element(card().getByText("Harbour Stores")).toBeVisible();
  await expect.element(card().getByRole("time")).toHaveAttribute("datetime", "2026-11-20T09:30:00.000Z");
  await expect.element(card().getByText("Waiting for the sensor")).toBeVisible();
  await become(at("DOWNLOADED"));
  await expect.element(bar()).toHaveAttribute("aria-valuenow", "50");
  await expect.element(card().getByRole("status")).toHaveTextContent("Installing, 50 percent");
  await become({ artifact: newer, sensorUpdateTask: task({ status: "UpdateInitiatedOnSensor" }) });
  await expect.element(card().getByRole("status")).toHaveTextContent("Success");
});

test("SE-09 a failure tells its reason", async () => {
  await open({ artifact: newer, sensorUpdateTask: task({ status: "UpdateFailed", info: "HASH: SHA-256 differs" }) });
  await expect.element(card().getByRole("alert")).toHaveTextContent("HASH: SHA-256 differs");
});

test.each(["UpdateFailed", "UpdateCanceled"] as const)(
  "SE-09 a firmware that is still assigned after %s can be tried again",
  async (status) => {
    const sent: unknown[] = [];
    const failed = { artifact: newer, sensorUpdateTask: task({ status }) };
    await open(failed, allPermissions, {
      [`PUT ${sensorApiPath}`]: (body) => {
        sent.push(body);
        return { status: 200, body: sensorWith(failed) };
      },
    });
    await card().getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => sent).toEqual([{ artifact: ids.newer }]);
  },
);

test("SE-09 Cancel Installation sends an empty artifact", async () => {
  const sent: unknown[] = [];
  await open(at("DOWNLOAD"), allPermissions, {
    [`PUT ${sensorApiPath}`]: (body) => {
      sent.push(body);
      return { status: 200, body: sensorWith({}) };
    },
  });
  await cancel().click();
  await expect.poll(() => sent).toEqual([{ artifact: "" }]);
});

test.each<[string, Partial<Sensor>, typeof allPermissions, string]>([
  [
    "a cancel under way",
    { sensorUpdateTask: task({ info: pendingCancellationInfo }) },
    allPermissions,
    "Waiting for the sensor to confirm the cancellation",
  ],
  ["installing", at("RUNNING"), allPermissions, "The installation has started and can no longer be canceled"],
  ["no right to edit", at("DOWNLOAD"), viewOnlyPermissions, "You don't have permission to edit this sensor"],
])("SE-09 with %s Cancel Installation is off and says why", async (_case, facts, permissions, reason) => {
  await open(facts, permissions);
  await expect.element(cancel()).toHaveAttribute("aria-disabled", "true");
  await expect.element(cancel()).toHaveAccessibleDescription(reason);
});

test("SE-09 a cancel that fails is reported", async () => {
  await open(at("DOWNLOAD"), allPermissions, {
    [`PUT ${sensorApiPath}`]: { status: 400, body: { code: 305, error: "No permission" } },
  });
  await cancel().click();
  await expect.element(page.getByText("Failed to update sensor.")).toBeVisible();
});

test("SE-09 SE-12 only a disconnected sensor is waited for until it connects", async () => {
  const lastSeen = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const without = (lastContactAt: string | null) => ({
    artifact: newer,
    sensorUpdateTask: task(),
    scomState: { ...sensorWith().scomState, isConnected: false, lastContactAt },
  });
  const until = card().getByText("Waiting for the sensor to connect");
  const { become } = await open(without(lastSeen(25)));
  await expect.element(until).toBeVisible();
  await become(without(lastSeen(3)));
  await expect.element(card().getByText("Waiting for the sensor", { exact: true })).toBeVisible();
  expect(until.elements()).toEqual([]);
  await become(without(null));
  await expect.element(until).toBeVisible();
});

test("SE-09 SE-03 a paused installation says so, and is resumed or canceled", async () => {
  const sent: unknown[] = [];
  await open({ artifact: newer, sensorUpdateTask: task({ info: pausedInstallationInfo }) }, allPermissions, {
    "PUT /api/v2/sensor/batch-update": (body) => {
      sent.push(body);
      return { status: 200, body: { success: 1, fail: [] } };
    },
  });
  await expect.element(card().getByRole("status")).toHaveTextContent("Paused");
  await expect.element(card().getByText(pausedInstallationInfo)).toBeVisible();
  expect(bar().elements()).toHaveLength(0);
  await expect.element(cancel()).toBeVisible();
  const resumed = waitForAppearance(page.getByText("Installation resumed"));
  await card().getByRole("button", { name: "Resume" }).click();
  await expect.poll(() => sent).toEqual([{ sensorIDs: [ids.sensor], changes: { installation: "waiting" } }]);
  await resumed;
});
