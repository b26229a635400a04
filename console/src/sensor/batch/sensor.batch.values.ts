// Loads the values that sensors have before a batch, for examples and undo.
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import type { SearchParams } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import type { Selection } from "../../ui/table/Selection.ts";
import type { SensorChanges } from "./sensor.batch.ts";
import { sensorBatchText } from "./sensor.batch.text.ts";
import { sensorText } from "../sensor.text.ts";

export type BatchField = keyof typeof sensorBatchText.fields;

const exampleCount = 3;
/** Page size limit of the API. Larger selections can't be undone. */
const maxKnown = 500;

export type KnownSensors = {
  examples: Sensor[];
  /** All selected sensors; null if there are too many, or if they were selected by "Select all". */
  all: Sensor[] | null;
};

/** The selected sensors as they were when the dialog was opened; undefined while loading. */
export function useKnownSensors(selection: Selection, filters: SearchParams): KnownSensors | undefined {
  const asked: SearchParams =
    selection.mode === "page"
      ? { ids: [...selection.ids].toSorted().slice(0, maxKnown), limit: String(maxKnown) }
      : { ...filters, limit: String(Math.min(maxKnown, selection.excluded.size + exampleCount)) };
  const { data } = useQuery({
    // The key doesn't begin with "sensor", so that live messages don't refetch it.
    queryKey: ["batch-before", asked],
    queryFn: async ({ signal }) => {
      const page = await call(listSensors, { query: asked, signal });
      return Array.isArray(page) ? [] : page.objects;
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  if (data === undefined) return undefined;
  const chosen = selection.mode === "page" ? data : data.filter(({ _id }) => !selection.excluded.has(_id));
  const isWhole = selection.mode === "page" && selection.ids.size <= maxKnown;
  return { examples: chosen.slice(0, exampleCount), all: isWhole ? chosen : null };
}

export function formatFieldValue(field: BatchField, sensor: Sensor): string {
  if (field === "artifact") return sensor.artifact?.name ?? sensorBatchText.nothing;
  if (field === "owner") return sensor.owner.name;
  if (field === "measID") return sensor.measurement?.name ?? sensorBatchText.nothing;
  if (field === "groups") return sensor.groups.join(", ") || sensorBatchText.nothing;
  return sensor.claimable ? sensorText.enabled : sensorText.disabled;
}

const maxSteps = 20;

/**
 * Changes that restore the previous values. Null if a value is unknown, or if more than 20 different changes would be needed.
 * If a sensor shows no location, its location counts as unknown unless `seesAllLocations`: the user may not be allowed to
 * view it.
 */
export function createUndoSteps(
  field: BatchField,
  before: readonly Sensor[],
  seesAllLocations: boolean,
): { changes: SensorChanges; ids: string[] }[] | null {
  // Firmware is undone in firmware-undo.ts, for installations that have not started.
  if (field === "artifact") return null;
  if (field === "measID" && !seesAllLocations && before.some((sensor) => sensor.measurement === null)) return null;
  const groups = Map.groupBy(before, (sensor) => JSON.stringify(oldValue(field, sensor)));
  if (groups.size > maxSteps) return null;
  return [...groups].map(([changes, sensors]) => ({
    changes: JSON.parse(changes) as SensorChanges,
    ids: sensors.map(({ _id }) => _id),
  }));
}

function oldValue(field: BatchField, sensor: Sensor): SensorChanges {
  // Changing the owner may have removed the location, so both are restored in one request.
  if (field === "owner")
    return { owner: sensor.owner._id, ...(sensor.measurement ? { measID: sensor.measurement._id } : {}) };
  if (field === "measID") return { measID: sensor.measurement?._id ?? null };
  if (field === "groups") return { groups: sensor.groups };
  return { claimable: sensor.claimable };
}
