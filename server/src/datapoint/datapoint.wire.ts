// Converts stored values to datapoints on the wire (docs/rules/counts.md#datapoints).
import { type Datapoint, type DatapointType, datapointQualities } from "@psp/contract/datapoint/datapoint.ts";
import type { LocationZone } from "../count/count.store.ts";
import type { Count } from "../count/pack.rules.ts";
import { localIso } from "@psp/contract/kit/zone.ts";

type Timed = {
  id: string;
  type: DatapointType;
  sens: string | null;
  startMs: number;
  endMs: number;
  data: Record<string, unknown>;
};

export function toDatapoint({ id, type, sens, startMs, endMs, data }: Timed, place: LocationZone): Datapoint {
  return {
    id,
    type,
    sens,
    measID: place.locationId,
    start: localIso(place.zone, startMs),
    end: localIso(place.zone, endMs),
    startUTC: new Date(startMs).toISOString(),
    endUTC: new Date(endMs).toISOString(),
    data,
  };
}

export function toCounting(
  count: Count,
  sensor: { num: number; id: string; lineIds: readonly string[] },
  place: LocationZone,
): Datapoint {
  const data: Record<string, unknown> = {
    line: sensor.lineIds[count.lineNo - 1] ?? String(count.lineNo),
    in: count.in,
    out: count.out,
  };
  for (const [name, pair] of Object.entries(count.classes ?? {})) {
    data[`${name}In`] = pair?.[0];
    data[`${name}Out`] = pair?.[1];
  }
  data["osd"] = count.osd;
  data["quality"] = datapointQualities[count.quality];
  return toDatapoint(
    {
      id: `c.${sensor.num}.${count.lineNo}.${count.startMs}`,
      type: "counting",
      sens: sensor.id,
      startMs: count.startMs,
      endMs: count.startMs + count.durationMs,
      data,
    },
    place,
  );
}
