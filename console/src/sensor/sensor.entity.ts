// What a sensor is to the rest of the console, what is asked about it beside what is asked about every noun, and small readings of
// it. Keys begin with the wire type, so that live messages find them (api/query-client.ts).
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { installPaused, installProgress } from "@psp/contract/sensor/install-progress.ts";
import {
  createSensor,
  deleteSensor,
  getSensor,
  grantSensorLicenses,
  listSensors,
  updateSensor,
} from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { defineEntity, plainRights } from "../entity/entity.ts";
import { keepAnswer } from "../entity/saving.ts";
import { sensorText } from "./sensor.text.ts";

export const sensor = defineEntity({
  type: "sensor",
  calls: { list: listSensors, get: getSensor, create: createSensor, update: updateSensor, remove: deleteSensor },
  // What was counted is counted for the location of the sensor.
  shownBy: ["datapoint"],
  text: sensorText,
  nameOf: ({ _id }) => _id,
  paths: { list: paths.sensors, remove: paths.deleteSensor },
  rights: plainRights("sensor"),
});

export type SensorUpdate = Sent<typeof updateSensor>["body"];

/** Saves a change; after a refusal of any kind the form shows the present values. */
export function useUpdateSensor(id: string) {
  const client = useQueryClient();
  return sensor.useUpdate(id, () => void client.invalidateQueries({ queryKey: ["sensor", "one", id] }));
}

/** Grants or withdraws licenses; the root account's alone (306 otherwise). */
export function useGrantLicenses(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (licenses: { monitoring: boolean }) => call(grantSensorLicenses, { params: { id }, body: licenses }),
    onSuccess: (answer) => {
      keepAnswer(client, "sensor", answer);
      void client.invalidateQueries({ queryKey: ["sensor", "list"] });
    },
  });
}

/** Version that the sensor runs: as known by the platform, else as reported, else null. */
export function runningVersion(sensor: Sensor): string | null {
  if (sensor.artifactRunning !== null) return sensor.artifactRunning.name;
  const software = sensor.info?.["software"] as { firmware?: { version?: unknown } } | undefined;
  const version = software?.firmware?.version;
  return typeof version === "string" ? version : null;
}

/** The hint while a firmware is being installed or is paused. */
export function installingWords(sensor: Sensor): string | undefined {
  const { word, isPaused } = installProgress(sensor);
  if (isPaused) return installPaused;
  return word === "INSTALLING" ? sensorText.installing : undefined;
}
