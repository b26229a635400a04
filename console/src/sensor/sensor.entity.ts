// Queries and mutations of sensors. Query keys start with the wire type, so that live messages find them (api/query-client.ts).
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import { pausedInstallationInfo, installProgress } from "@psp/contract/sensor/install-progress.ts";
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
import { defineEntity, defaultRights } from "../entity/entity.ts";
import { cacheResponse } from "../entity/saving.ts";
import { sensorText } from "./sensor.text.ts";

export const sensor = defineEntity({
  type: "sensor",
  calls: { list: listSensors, get: getSensor, create: createSensor, update: updateSensor, remove: deleteSensor },
  // Counts of a location depend on the sensors assigned to it.
  shownBy: ["datapoint"],
  text: sensorText,
  nameOf: ({ _id }) => _id,
  paths: { list: paths.sensors, remove: paths.deleteSensor },
  rights: defaultRights("sensor"),
});

export type SensorUpdate = ClientInput<typeof updateSensor>["body"];

/** Refetches the sensor if an update fails. */
export function useUpdateSensor(id: string) {
  const client = useQueryClient();
  return sensor.useUpdate(id, () => void client.invalidateQueries({ queryKey: ["sensor", "one", id] }));
}

/** Only allowed for the root account (306 otherwise). */
export function useGrantLicenses(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (licenses: { monitoring: boolean }) => call(grantSensorLicenses, { params: { id }, body: licenses }),
    onSuccess: (answer) => {
      cacheResponse(client, "sensor", answer);
      void client.invalidateQueries({ queryKey: ["sensor", "list"] });
    },
  });
}

/** Name of the running firmware if it is known to the platform, else the reported version, else null. */
export function runningVersion(sensor: Sensor): string | null {
  if (sensor.artifactRunning !== null) return sensor.artifactRunning.name;
  const software = sensor.info?.["software"] as { firmware?: { version?: unknown } } | undefined;
  const version = software?.firmware?.version;
  return typeof version === "string" ? version : null;
}

export function describeInstallation(sensor: Sensor): string | undefined {
  const { word, isPaused } = installProgress(sensor);
  if (isPaused) return pausedInstallationInfo;
  return word === "INSTALLING" ? sensorText.installing : undefined;
}
