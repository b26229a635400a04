// Names of objects by id, for filter chips and selects.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { listLocations } from "@psp/contract/location/location.api.ts";
import { listRoles } from "@psp/contract/role/role.api.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { type ListResponse, toListResult } from "../../api/listed.ts";

export const listCalls = {
  account: listAccounts,
  measurement: listLocations,
  artifact: listFirmware,
  role: listRoles,
  sensor: listSensors,
};

export type NamedType = keyof typeof listCalls;

type Named = { _id: string; name?: string; type?: string };

/** Maximum ids per request, as in the contract. */
const most = 500;

/** Names of at most 500 objects by id. Missing objects are left out. */
export async function fetchNames(
  type: NamedType,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const query = { ids: ids.slice(0, most), limit: String(most), includeDeleted: "true" } as const;
  const reply = await call(listCalls[type], { query, signal });
  return Object.fromEntries(
    toListResult(reply as ListResponse<Named>).objects.map((found) => [found._id, nameOf(type, found)]),
  );
}

const nameOf = (type: NamedType, { _id, name, type: of }: Named) =>
  type === "artifact" ? `${of ?? ""} ${name ?? ""}`.trim() : (name ?? _id);

/** Undefined while loading, or the id itself if the object isn't found. The name of a firmware is "APS 1.2.0". */
export function useName(type: NamedType, id: string | null): string | undefined {
  const { data } = useQuery({
    staleTime: 300_000,
    queryKey: [type, "named", id],
    queryFn: async ({ signal }) => (await fetchNames(type, [id ?? ""], signal))[id ?? ""] ?? id,
    enabled: id !== null,
  });
  return data ?? undefined;
}
