// Tests all rows of the table in docs/rules/firmware.md#install-progress.
import { expect, test } from "vitest";
import { pendingCancellationInfo, installRequestedInfo, installProgress } from "./install-progress.ts";

const firmware = (id: string) => ({ _id: id, name: `1.${id}.0`, isDeleted: false, type: "APS" as const });
const task = (status: "UpdateInitiatedOnSensor" | "UpdateFailed" | "UpdateCanceled" | null) => ({
  status,
  artifactID: "2",
  createdAt: "2026-01-01T00:00:00.000Z",
  createdByAccount: "me",
  statusChangedAt: null,
  info: null,
});
const idle = {
  sensorUpdateTask: null,
  artifact: firmware("2"),
  artifactRunning: firmware("1"),
  artifactInstallationState: null,
  info: null,
};

test.each([
  [null, "INSTALLING", true],
  ["UpdateInitiatedOnSensor", "SUCCESS", false],
  ["UpdateFailed", "FAILED", false],
  ["UpdateCanceled", "CANCELED", false],
] as const)("SE-09 status %s means %s, cancel offered: %s", (status, word, offersCancel) => {
  expect(installProgress({ ...idle, sensorUpdateTask: task(status) })).toMatchObject({ word, offersCancel });
});

test.each([
  ["another firmware assigned", firmware("2"), firmware("1"), "INSTALLING"],
  ["the assigned one running", firmware("2"), firmware("2"), "SUCCESS"],
  ["nothing assigned", null, firmware("1"), "SUCCESS"],
  ["nothing known of what runs", firmware("2"), null, "INSTALLING"],
] as const)("SE-09 without a task, %s means %s", (_, artifact, artifactRunning, word) => {
  expect(installProgress({ ...idle, artifact, artifactRunning })).toMatchObject({ word, offersCancel: false });
});

test("SE-09 without a task, the same version of another owner counts as running", () => {
  const info = { software: { firmware: { version: "1.2.0" } } };
  expect(installProgress({ ...idle, artifactRunning: null, info }).word).toBe("SUCCESS");
});

test.each([
  ["INITIATE", 0],
  ["DOWNLOAD", 25],
  ["DOWNLOADED", 50],
  ["RUNNING", 75],
  ["FINISHED", 100],
  ["ERROR", 0],
] as const)("SE-09 %s is %i %%", (state, percent) => {
  const sensor = { ...idle, sensorUpdateTask: task(null), artifactInstallationState: { ok: state !== "ERROR", state } };
  expect(installProgress(sensor)).toMatchObject({ percent, state });
});

test("SE-09 no percentage before the first report and after the end", () => {
  expect(installProgress({ ...idle, sensorUpdateTask: task(null) }).percent).toBeNull();
  const artifactInstallationState = { ok: false, state: "ERROR" as const };
  const ended = { ...idle, sensorUpdateTask: task("UpdateFailed"), artifactInstallationState };
  expect(installProgress(ended).percent).toBeNull();
});

test("SE-09 a cancel is under way, or too late", () => {
  const canceling = { ...idle, artifact: null, sensorUpdateTask: { ...task(null), info: pendingCancellationInfo } };
  expect(installProgress(canceling)).toMatchObject({ isCanceling: true, isPastCancel: false });
  // A caller who can't see the firmware must not see its cancellation either.
  expect(installProgress({ ...idle, artifact: null, sensorUpdateTask: task(null) }).isCanceling).toBe(false);
  const running = {
    ...canceling,
    sensorUpdateTask: task(null),
    artifactInstallationState: { ok: true, state: "RUNNING" as const },
  };
  expect(installProgress(running)).toMatchObject({ isCanceling: false, isPastCancel: true });
  const asked = { ...idle, sensorUpdateTask: { ...task(null), info: installRequestedInfo } };
  expect(installProgress(asked)).toMatchObject({ word: "INSTALLING", isCanceling: false, isPastCancel: true });
});
