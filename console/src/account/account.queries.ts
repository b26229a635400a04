// What the account pages ask the server. One's own ancestors are left out of every list (docs/rules/accounts.md#accounts-page).
import * as api from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Search } from "../address/address.ts";
import { call } from "../api/call.ts";
import { type ListedPage, pageOf } from "../api/listed.ts";
import { byIds } from "../entity/batch/item-batch.ts";
import { queriesOf } from "../entity/entity.ts";
import { judgePassword } from "../password/usePasswordJudge.ts";
import { useActor } from "../session/session.tsx";

export const account = queriesOf({
  type: "account",
  calls: {
    list: api.listAccounts,
    get: api.getAccount,
    create: api.createAccount,
    update: api.updateAccount,
    remove: api.deleteAccount,
  },
});

/** How many accounts of a level the tree fetches at once. */
export const levelSize = 100;
/** A tree of up to this size is fetched as a whole. */
const fewAccounts = 200;

/** One page of accounts with its exact total, without the actor's ancestors. */
export async function fetchAccounts(
  query: Search,
  ancestors: readonly string[],
  signal: AbortSignal,
): Promise<ListedPage<Account>> {
  const exclude = [...ancestors, ...[query["exclude"] ?? []].flat()];
  return pageOf<Account>(await call(api.listAccounts, { query: { ...query, includeTotals: "true", exclude }, signal }));
}

/** One page of the list. `enabled` false asks nothing. */
export function useAccounts(query: Search, enabled = true) {
  const { parentAccounts } = useActor();
  return useQuery({
    queryKey: ["account", "list", query, parentAccounts],
    queryFn: ({ signal }) => fetchAccounts(query, parentAccounts, signal),
    placeholderData: keepPreviousData,
    enabled,
  });
}

/** Those of these accounts that can be seen; for the places of search hits in the tree. */
export function useAccountsById(ids: readonly string[]) {
  return useQuery({
    queryKey: ["account", "list", "ids", ids],
    queryFn: ({ signal }) => byIds(account.list, ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  });
}

/** Part of a level of the tree: the children of `parent`, or the top for null. */
export function useLevel(parent: string | null, skip: number) {
  return useAccounts({
    ...(parent === null ? { topLevel: "true" } : { parentID: parent }),
    limit: String(levelSize),
    ...(skip === 0 ? {} : { skip: String(skip) }),
    sortBy: ["name", "role"],
  });
}

/** All accounts, as far as they are few enough to be shown at once. */
export function useWholeTree(enabled = true) {
  return useAccounts({ limit: String(fewAccounts), sortBy: ["name", "role"] }, enabled);
}

/**
 * Which of these accounts have children: exact while they are few, null where the answer was cut off, undefined while
 * it is awaited.
 */
export function useHasChildren(ids: readonly string[]): (id: string) => boolean | null | undefined {
  const { data, isPlaceholderData } = useAccounts({ parentID: [...ids], limit: "500", sortBy: "_id" }, ids.length > 0);
  const parents = new Set(data?.objects.map(({ parentAccounts }) => parentAccounts.at(-1)));
  const cutOff = data !== undefined && data.total > data.objects.length;
  return (id) => (parents.has(id) ? true : data === undefined || isPlaceholderData ? undefined : cutOff ? null : false);
}

/** Whether the server takes all of these passwords; for the moment of saving. True as well when no answer comes: the server has the last word. */
export async function areGoodPasswords(
  list: readonly { password: string; email: string }[],
  name: string,
): Promise<boolean> {
  const judged = await Promise.all(
    list.map(({ password, email }) =>
      judgePassword(password, { name, email }).then(
        ({ fulfilled }) => fulfilled,
        () => true,
      ),
    ),
  );
  return judged.every(Boolean);
}
