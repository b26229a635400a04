// Names behind the ids that stand in addresses, for filter chips and selects.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { listLocations } from "@psp/contract/location/location.api.ts";
import { listRoles } from "@psp/contract/role/role.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

type Named = { name?: string; type?: string };

/** First object of either form of a list's answer. */
function first(reply: unknown): Named | undefined {
  const list = Array.isArray(reply) ? reply : (reply as { objects?: Named[] }).objects;
  return list?.[0];
}

const stale = { staleTime: 300_000 };

/** Name of an account, undefined while unknown; the id itself where it can't be found. */
export function useAccountName(id: string | null): string | undefined {
  const { data } = useQuery({
    ...stale,
    queryKey: ["account", "named", id],
    queryFn: async ({ signal }) =>
      first(await call(listAccounts, { query: { ids: [id ?? ""], includeDeleted: "true" }, signal }))?.name ?? id,
    enabled: id !== null,
  });
  return data ?? undefined;
}

export function useLocationName(id: string | null): string | undefined {
  const { data } = useQuery({
    ...stale,
    queryKey: ["measurement", "named", id],
    queryFn: async ({ signal }) =>
      first(await call(listLocations, { query: { ids: [id ?? ""], includeDeleted: "true" }, signal }))?.name ?? id,
    enabled: id !== null,
  });
  return data ?? undefined;
}

/** "APS 1.2.0" */
export function useFirmwareName(id: string | null): string | undefined {
  const { data } = useQuery({
    ...stale,
    queryKey: ["artifact", "named", id],
    queryFn: async ({ signal }) => {
      const found = first(await call(listFirmware, { query: { ids: [id ?? ""], includeDeleted: "true" }, signal }));
      return found === undefined ? id : `${found.type ?? ""} ${found.name ?? ""}`.trim();
    },
    enabled: id !== null,
  });
  return data ?? undefined;
}

/** Name of a role, undefined while unknown; the id itself where it can't be found. */
export function useRoleName(id: string | null): string | undefined {
  const { data } = useQuery({
    ...stale,
    queryKey: ["role", "named", id],
    queryFn: async ({ signal }) =>
      first(await call(listRoles, { query: { ids: [id ?? ""], includeDeleted: "true" }, signal }))?.name ?? id,
    enabled: id !== null,
  });
  return data ?? undefined;
}
