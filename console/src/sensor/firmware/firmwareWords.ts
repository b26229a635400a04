// The firmware of a sensor in a line: what it runs, and how far the next one has come (docs/rules/sensors.md#list-columns).
import { installProgress } from "@psp/contract/sensor/install-progress.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { runningVersion } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";

/** "1.17.2 → 1.19.0 · 25 %" while it is being installed; the version alone where nothing is under way or went wrong. */
export function firmwareWords(sensor: Sensor): string {
  const running = runningVersion(sensor) ?? "-";
  const how = wordOf(sensor);
  if (how === null) return running;
  const next = sensor.artifact?.name;
  // One that has restarted into it still has to prove itself.
  return next === undefined || next === running ? `${running} · ${how}` : `${running} → ${next} · ${how}`;
}

function wordOf(sensor: Sensor): string | null {
  const { sensorUpdateTask: task, artifact, artifactInstallationState: report } = sensor;
  // Without a task nothing was begun, whatever else is assigned.
  if (task === null) return null;
  const { word, percent, state, isCanceling, isPaused, isReverted } = installProgress(sensor);
  if (isCanceling) return sensorText.canceling;
  if (isPaused) return sensorText.installations.paused;
  if (isReverted) return sensorText.installations.reverted;
  if (word === "FAILED") return sensorText.installations.failed;
  if (word === "INSTALLING")
    return percent === null || state === "INITIATE" ? sensorText.installations.waiting : sensorText.percent(percent);
  // Asked through its own interface, it has agreed and says nothing more until it runs the version.
  const isAccepted = word === "SUCCESS" && report?.state === "INITIATE" && artifact?.name !== runningVersion(sensor);
  return isAccepted ? sensorText.installations.waiting : null;
}
