// Who changed a sensor last, and when, from the audit trail: said where two people changed it at once.
import { listAudit } from "@psp/contract/audit/audit.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { exactWords } from "../ui/RelativeTime.tsx";
import { sensorPageText } from "./sensor-page.text.ts";

/** "Changed by X at 20 Nov 2026, 12:04:39 CET."; undefined while `wanted` is false or nothing is known. */
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
