// What the firmware list asks the server; on the wire firmware is an artifact.
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Search } from "../address.ts";
import { call } from "../api/call.ts";

/** One page of the list with its exact total. */
export function useFirmwareList(query: Search) {
  return useQuery({
    queryKey: ["artifact", "list", query],
    queryFn: async ({ signal }) => {
      const page = await call(listFirmware, { query, signal });
      return Array.isArray(page) ? { objects: page, total: page.length } : page;
    },
    placeholderData: keepPreviousData,
  });
}
