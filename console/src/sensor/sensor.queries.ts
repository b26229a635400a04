// What is asked about a sensor beside what is asked about every noun. Keys begin with the wire type, so that live messages
// find them (api/query-client.ts).
import { listAudit } from "@psp/contract/audit/audit.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { grantSensorLicenses, type updateSensor } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { keepAnswer } from "../entity/saving.ts";
import { exactWords } from "../ui/RelativeTime.tsx";
import { sensor } from "./sensor.entity.ts";
import { sensorPageText } from "./sensor-page.text.ts";

export type SensorUpdate = Sent<typeof updateSensor>["body"];

/** Saves a change. Whatever was in the way, the form shows what is there now. */
export function useUpdateSensor(id: string) {
  const client = useQueryClient();
  return sensor.useUpdate(id, () => void client.invalidateQueries({ queryKey: ["sensor", "one", id] }));
}

/** Grants or withdraws licences; the root account's alone (306 otherwise). */
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

/**
 * "Changed by X at 20 Nov 2026, 12:04:39 CET.", from the audit trail: said where two people changed a sensor at once.
 * Undefined while `wanted` is false or nothing is known.
 */
export function useLastChange(sensor: Sensor, wanted: boolean): string | undefined {
  const { data } = useQuery({
    queryKey: ["audit", "last", sensor._id, sensor.version],
    queryFn: ({ signal }) => {
      const query = { objectID: sensor._id, sortBy: "-at", limit: "1", withoutRefused: "true" } as const;
      return call(listAudit, { query, signal });
    },
    enabled: wanted,
  });
  const row = data?.objects[0];
  if (!wanted || row === undefined || row.who === null) return undefined;
  return sensorPageText.changedBy(row.who.name, exactWords(Date.parse(row.at)));
}
