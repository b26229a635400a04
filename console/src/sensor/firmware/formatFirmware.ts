// Running firmware and installation progress on one line (docs/rules/sensors.md#list-columns).
import { installProgress } from "@psp/contract/sensor/install-progress.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { runningVersion } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";

/** "1.17.2 → 1.19.0 · 25 %" during an installation; the running version alone if nothing is in progress or failed. */
export function formatFirmware(sensor: Sensor): string {
  const running = runningVersion(sensor) ?? "-";
  const how = wordOf(sensor);
  if (how === null) return running;
  const next = sensor.artifact?.name;
  // The new version may be running before its installation is finished.
  return next === undefined || next === running ? `${running} · ${how}` : `${running} → ${next} · ${how}`;
}

function wordOf(sensor: Sensor): string | null {
  const { sensorUpdateTask: task, artifact, artifactInstallationState: report } = sensor;
  // Without a task, no installation was started.
  if (task === null) return null;
  const { word, percent, state, isCanceling, isPaused, isReverted } = installProgress(sensor);
  if (isCanceling) return sensorText.canceling;
  if (isPaused) return sensorText.installations.paused;
  if (isReverted) return sensorText.installations.reverted;
  if (word === "FAILED") return sensorText.installations.failed;
  if (word === "INSTALLING")
    return percent === null || state === "INITIATE" ? sensorText.installations.waiting : sensorText.percent(percent);
  // A REST update counts as successful once it is accepted, and reports no progress until the new version runs.
  const isAccepted = word === "SUCCESS" && report?.state === "INITIATE" && artifact?.name !== runningVersion(sensor);
  return isAccepted ? sensorText.installations.waiting : null;
}
