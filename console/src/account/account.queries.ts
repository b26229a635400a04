// Queries of the account pages. The user's own ancestors are excluded from every list (docs/rules/accounts.md#accounts-page).
import * as api from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { SearchParams } from "../address/address.ts";
import { call } from "../api/call.ts";
import { type ListResult, toListResult } from "../api/listed.ts";
import { fetchByIds } from "../entity/batch/item-batch.ts";
import { createQueries } from "../entity/entity.ts";
import { fetchEvaluation } from "../password/usePasswordEvaluation.ts";
import { useActor } from "../api/session/session.tsx";

export const accountQueries = createQueries({
  type: "account",
  calls: {
    list: api.listAccounts,
    get: api.getAccount,
    create: api.createAccount,
    update: api.updateAccount,
    remove: api.deleteAccount,
  },
});

export const childPageSize = 100;
/** Up to this many accounts, the tree is fetched as a whole. */
const fewAccounts = 200;

/** Fetches one page of accounts with the exact total. Excludes the actor's ancestors. */
export async function fetchAccounts(
  query: SearchParams,
  ancestors: readonly string[],
  signal: AbortSignal,
): Promise<ListResult<Account>> {
  const exclude = [...ancestors, ...[query["exclude"] ?? []].flat()];
  return toListResult<Account>(
    await call(api.listAccounts, { query: { ...query, includeTotals: "true", exclude }, signal }),
  );
}

export function useAccounts(query: SearchParams, enabled = true) {
  const { parentAccounts } = useActor();
  return useQuery({
    queryKey: ["account", "list", query, parentAccounts],
    queryFn: ({ signal }) => fetchAccounts(query, parentAccounts, signal),
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** The accounts with these ids that the user can view. The tree needs them as ancestors of search hits. */
export function useAccountsById(ids: readonly string[]) {
  return useQuery({
    queryKey: ["account", "list", "ids", ids],
    queryFn: ({ signal }) => fetchByIds(accountQueries.list, ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
}

/** One page of the children of `parent`, or of the top-level accounts if `parent` is null. */
export function useChildAccounts(parent: string | null, skip: number) {
  return useAccounts({
    ...(parent === null ? { topLevel: "true" } : { parentID: parent }),
    limit: String(childPageSize),
    ...(skip === 0 ? {} : { skip: String(skip) }),
    sortBy: ["name", "role"],
  });
}

/** The first 200 accounts. They are the whole tree if the total is not higher. */
export function useWholeTree(enabled = true) {
  return useAccounts({ limit: String(fewAccounts), sortBy: ["name", "role"] }, enabled);
}

/** Returns whether an account has children: null if the response was truncated, undefined while loading. */
export function useHasChildren(ids: readonly string[]): (id: string) => boolean | null | undefined {
  const { data, isPlaceholderData } = useAccounts({ parentID: [...ids], limit: "500", sortBy: "_id" }, ids.length > 0);
  const parents = new Set(data?.objects.map(({ parentAccounts }) => parentAccounts.at(-1)));
  const cutOff = data !== undefined && data.total > data.objects.length;
  return (id) => (parents.has(id) ? true : data === undefined || isPlaceholderData ? undefined : cutOff ? null : false);
}

/** Whether the server accepts all passwords. True if the check fails, because saving validates the passwords anyway. */
export async function arePasswordsAccepted(
  list: readonly { password: string; email: string }[],
  name: string,
): Promise<boolean> {
  const judged = await Promise.all(
    list.map(({ password, email }) =>
      fetchEvaluation(password, { name, email }).then(
        ({ fulfilled }) => fulfilled,
        () => true,
      ),
    ),
  );
  return judged.every(Boolean);
}
