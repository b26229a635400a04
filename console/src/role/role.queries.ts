// What the role list asks the server.
import { listRoles } from "@psp/contract/role/role.api.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Search } from "../address.ts";
import { call } from "../api/call.ts";

/** One page of the list with its exact total. */
export function useRoles(query: Search) {
  return useQuery({
    queryKey: ["role", "list", query],
    queryFn: async ({ signal }) => {
      const page = await call(listRoles, { query, signal });
      return Array.isArray(page) ? { objects: page, total: page.length } : page;
    },
    placeholderData: keepPreviousData,
  });
}
