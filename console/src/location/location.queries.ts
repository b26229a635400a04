// What is asked about a location beside what is asked about every noun: its sensors, and what they count today.
import { aggregateJson } from "@psp/contract/datapoint/datapoint.api.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";

const countsEveryMs = 10_000;

/** The sensors of a location: the first of them, and how many there are. */
export function useLocationSensors(id: string, limit: number) {
  return useQuery({
    queryKey: ["sensor", "list", "of", id],
    queryFn: async ({ signal }) => {
      const page = await call(listSensors, {
        query: { measID: id, limit: String(limit), includeTotals: "true" },
        signal,
      });
      return Array.isArray(page) ? { objects: [], total: 0 } : page;
    },
  });
}

/** Today's counts by local hour; asked again every 10 s while they are looked at. */
export function useLocationToday(id: string) {
  return useQuery({
    queryKey: ["datapoint", "today", "meas", id],
    queryFn: ({ signal }) =>
      call(aggregateJson, { query: { filter: `meas:${id}:counting`, acc: "hour", preset: "today" }, signal }),
    refetchInterval: countsEveryMs,
  });
}
