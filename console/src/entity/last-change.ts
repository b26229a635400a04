// Last change of an object from the audit log, for conflict dialogs.
import { listAudit } from "@psp/contract/audit/audit.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import type { EntityType } from "../api/query-client.ts";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";

const changedBy = (name: string, at: string) => `Changed by ${name} at ${at}.`;

/** "Changed by X at 20 Nov 2026, 12:04:39 CET."; undefined if `wanted` is false or the change is unknown. */
export function useLastChange(
  objectType: EntityType,
  { _id, version }: { _id: string; version: number },
  wanted: boolean,
): string | undefined {
  const { data } = useQuery({
    queryKey: ["audit", "last", objectType, _id, version],
    queryFn: ({ signal }) => {
      const query = { objectType, objectID: _id, sortBy: "-at", limit: "1", withoutRefused: "true" } as const;
      return call(listAudit, { query, signal });
    },
    enabled: wanted,
  });
  const row = data?.objects[0];
  if (!wanted || row === undefined || row.who === null) return undefined;
  return changedBy(row.who.name, formatExactTime(Date.parse(row.at)));
}
