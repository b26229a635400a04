// What the sensor pages ask the server. Keys begin with the wire type, so that live messages find them (api/query-client.ts).
import { aggregateJson } from "@psp/contract/datapoint/datapoint.api.ts";
import {
  createSensor,
  deleteSensor,
  getSensor,
  grantSensorLicenses,
  listSensors,
  updateSensor,
} from "@psp/contract/sensor/sensor.api.ts";
import { getLocation } from "@psp/contract/location/location.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { useListed } from "../api/listed.ts";
import type { Search } from "../address/address.ts";
import { keepAnswer } from "../entity/left-view.ts";

const countsEveryMs = 10_000;

/** One page of the list with its exact total. */
export function useSensors(query: Search) {
  return useListed(["sensor", "list", query], (signal) => call(listSensors, { query, signal }));
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
      keepAnswer(client, "sensor", sensor);
      void client.invalidateQueries({ queryKey: ["sensor", "list"] });
      void client.invalidateQueries({ queryKey: ["datapoint"] });
    },
    // Whatever was in the way, the form should show what is there now.
    onError: () => void client.invalidateQueries({ queryKey: ["sensor", "one", id] }),
  });
}

/** Grants or withdraws licences; the root account's alone (306 otherwise). */
export function useGrantLicenses(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (licenses: { monitoring: boolean }) => call(grantSensorLicenses, { params: { id }, body: licenses }),
    onSuccess: (sensor) => {
      keepAnswer(client, "sensor", sensor);
      void client.invalidateQueries({ queryKey: ["sensor", "list"] });
    },
  });
}

export function useCreateSensor() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Sent<typeof createSensor>["body"]) => call(createSensor, { body }),
    onSuccess: () =>
      Promise.all(["list", "total"].map((part) => client.invalidateQueries({ queryKey: ["sensor", part] }))),
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
