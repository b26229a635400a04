// What the account list asks the server.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Search } from "../address.ts";
import { call } from "../api/call.ts";

/** One page of the list with its exact total. */
export function useAccounts(query: Search) {
  return useQuery({
    queryKey: ["account", "list", query],
    queryFn: async ({ signal }) => {
      const page = await call(listAccounts, { query, signal });
      return Array.isArray(page) ? { objects: page, total: page.length } : page;
    },
    placeholderData: keepPreviousData,
  });
}
