// Queries for customers.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import { type Customer, listCustomers } from "@psp/contract/customer/customer.api.ts";
import { useQuery } from "@tanstack/react-query";
import type { SearchParams } from "../address/address.ts";
import { call } from "../api/call.ts";
import { type ListResponse, toListResult, useListQuery } from "../api/listed.ts";
import { useActor } from "../api/session/session.tsx";

export const useCustomers = (query: SearchParams) =>
  useListQuery<Customer>(["customer", "list", query], (signal) => call(listCustomers, { query, signal }));

type Step = { _id: string; name: string };

/** The visible accounts from below the user's own account to `id`. Empty while loading. */
export function useTrail(id: string): readonly Step[] {
  const { id: own } = useActor();
  const { data } = useQuery({
    queryKey: ["account", "trail", id, own],
    enabled: id !== "",
    queryFn: async ({ signal }) => {
      const find = async (ids: readonly string[]) => {
        const query = { ids: [...ids], limit: "500" };
        return toListResult((await call(listAccounts, { query, signal })) as ListResponse<Account>).objects;
      };
      const [account] = await find([id]);
      if (account === undefined) return [];
      const above = account.parentAccounts.slice(account.parentAccounts.indexOf(own) + 1);
      const found = above.length === 0 ? [] : await find(above);
      return [...above.flatMap((one) => found.find(({ _id }) => _id === one) ?? []), account];
    },
  });
  return data ?? [];
}
