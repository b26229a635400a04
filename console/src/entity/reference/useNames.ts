// Names behind the ids in addresses, for filter chips and selects.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { listLocations } from "@psp/contract/location/location.api.ts";
import { listRoles } from "@psp/contract/role/role.api.ts";
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { type Listed, pageOf } from "../../api/listed.ts";

const lists = {
  account: listAccounts,
  measurement: listLocations,
  artifact: listFirmware,
  role: listRoles,
  sensor: listSensors,
};

export type NamedType = keyof typeof lists;

type Named = { name?: string; type?: string };

/** What people call the object, undefined while unknown; the id itself where it can't be found. A firmware is "APS 1.2.0". */
export function useName(type: NamedType, id: string | null): string | undefined {
  const { data } = useQuery({
    staleTime: 300_000,
    queryKey: [type, "named", id],
    queryFn: async ({ signal }) => {
      const reply = await call(lists[type], { query: { ids: [id ?? ""], includeDeleted: "true" }, signal });
      const [found] = pageOf(reply as Listed<Named>).objects;
      if (found === undefined) return id;
      return type === "artifact" ? `${found.type ?? ""} ${found.name ?? ""}`.trim() : (found.name ?? id);
    },
    enabled: id !== null,
  });
  return data ?? undefined;
}
