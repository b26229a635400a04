// What the sensor pages ask the server. Keys begin with the wire type, so that live messages find them (api/query-client.ts).
import { aggregateJson } from "@psp/contract/datapoint/datapoint.api.ts";
import { deleteSensor, getSensor, listSensors, updateSensor } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import type { Search } from "../address.ts";

const countsEveryMs = 10_000;

/** One page of the list with its exact total. */
export function useSensors(query: Search) {
  return useQuery({
    queryKey: ["sensor", "list", query],
    queryFn: async ({ signal }) => {
      const page = await call(listSensors, { query, signal });
      return Array.isArray(page) ? { objects: [], total: 0 } : page;
    },
    placeholderData: keepPreviousData,
  });
}

/** One sensor; rows of lists already here are shown until it arrives. */
export function useSensor(id: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["sensor", "one", id],
    queryFn: ({ signal }) => call(getSensor, { params: { id }, signal }),
    placeholderData: () =>
      client
        .getQueriesData<{ objects?: Sensor[] }>({ queryKey: ["sensor", "list"] })
        .flatMap(([, page]) => page?.objects ?? [])
        .find((sensor) => sensor._id === id),
  });
}

export type SensorUpdate = Sent<typeof updateSensor>["body"];

/** Saves a change; `version` makes somebody else's change in between a 412. */
export function useUpdateSensor(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, version }: { change: SensorUpdate; version?: number }) =>
      call(updateSensor, { params: { id }, body: change, ...(version === undefined ? {} : { version }) }),
    onSuccess: (sensor) => {
      client.setQueryData(["sensor", "one", id], sensor);
      void client.invalidateQueries({ queryKey: ["sensor", "list"] });
      void client.invalidateQueries({ queryKey: ["datapoint"] });
    },
  });
}

export function useDeleteSensor(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(deleteSensor, { params: { id } }),
    onSuccess: () =>
      Promise.all(["list", "total"].map((part) => client.invalidateQueries({ queryKey: ["sensor", part] }))),
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
