// What the location pages ask the server. On the wire locations are measurements, and so begin the keys.
import { aggregateJson } from "@psp/contract/datapoint/datapoint.api.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import {
  createLocation,
  deleteLocation,
  getLocation,
  listLocations,
  updateLocation,
} from "@psp/contract/location/location.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import { useListed } from "../api/listed.ts";
import { keepAnswer } from "../entity/left-view.ts";

const countsEveryMs = 10_000;

/** Whole locations; bare ids or places alone would come only to those who ask for them. */
export function listWhole(query: Search, signal: AbortSignal) {
  return call(listLocations, { query, signal }) as Promise<{ objects: Location[]; total?: number }>;
}

/** One page of the list with its exact total. */
export function useLocations(query: Search) {
  return useListed<Location>(["measurement", "list", query], (signal) => listWhole(query, signal));
}

/** `wanted` false asks no more, e.g. once it is being deleted: the answer would only be that it is gone. */
export function useLocation(id: string, wanted = true) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["measurement", "one", id],
    enabled: wanted,
    queryFn: ({ signal }) => call(getLocation, { params: { id }, signal }),
    placeholderData: () =>
      client
        .getQueriesData<{ objects?: Location[] }>({ queryKey: ["measurement", "list"] })
        .flatMap(([, page]) => page?.objects ?? [])
        .find((location) => location._id === id),
  });
}

export function useCreateLocation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Sent<typeof createLocation>["body"]) => call(createLocation, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["measurement"] }),
  });
}

export type LocationUpdate = Sent<typeof updateLocation>["body"];

/** Saves a change; `version` makes somebody else's change in between a 412. */
export function useUpdateLocation(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, version }: { change: LocationUpdate; version?: number }) =>
      call(updateLocation, { params: { id }, body: change, ...(version === undefined ? {} : { version }) }),
    onSuccess: (location) => {
      keepAnswer(client, "measurement", location);
      void client.invalidateQueries({ queryKey: ["measurement", "list"] });
      // Sensors show the name and the zone of their location.
      void client.invalidateQueries({ queryKey: ["sensor"] });
    },
  });
}

export function useDeleteLocation(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(deleteLocation, { params: { id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["measurement", "list"] });
      void client.invalidateQueries({ queryKey: ["sensor"] });
    },
  });
}

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
