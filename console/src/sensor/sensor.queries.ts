// What is asked about a sensor beside what is asked about every noun. Keys begin with the wire type, so that live messages
// find them (api/query-client.ts).
import { aggregateJson } from "@psp/contract/datapoint/datapoint.api.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { getLocation } from "@psp/contract/location/location.api.ts";
import { grantSensorLicenses, type updateSensor } from "@psp/contract/sensor/sensor.api.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { keepAnswer } from "../entity/saving.ts";
import { sensor } from "./sensor.entity.ts";

const countsEveryMs = 10_000;

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

/** The location of a sensor, for what the sensor inherits from it; idle without one. */
export function useSensorLocation(id: string | null) {
  return useQuery({
    queryKey: ["measurement", "one", id],
    queryFn: ({ signal }) => call(getLocation, { params: { id: id ?? "" }, signal }),
    enabled: id !== null,
  });
}

/** Today's counts by local hour; asked again every 10 s while they are looked at, and when data is announced. */
export function useSensorToday(id: string) {
  return useQuery({
    queryKey: ["datapoint", "today", "sens", id],
    queryFn: ({ signal }) =>
      call(aggregateJson, { query: { filter: `sens:${id}:counting`, acc: "hour", preset: "today" }, signal }),
    refetchInterval: countsEveryMs,
  });
}
