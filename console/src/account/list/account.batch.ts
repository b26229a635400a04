// Batches over accounts, item by item: which accounts a selection means, and one call for each (spec 1 §2, §7).
import type { Account } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Search } from "../../address/address.ts";
import { batchFailure } from "../../api/useFailure.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { BatchFailure } from "../../ui/batch/batchRun.ts";
import type { Selection } from "../../ui/table/Selection.ts";
import { fetchStandings, ownerFrom } from "../../session/standings.ts";
import { fetchAccounts, fetchAccountsById } from "../account.queries.ts";

const pageSize = 500;

/** Everything that matches the list's filters but what was taken out, or exactly the ids. */
async function selectedAccounts(
  selection: Selection,
  query: Search,
  ancestors: readonly string[],
  signal: AbortSignal,
): Promise<Account[]> {
  if (selection.mode === "page") return fetchAccountsById([...selection.ids], signal);
  const { skip: _skip, ...filters } = query;
  const all: Account[] = [];
  for (;;) {
    const part = { ...filters, sortBy: "_id", limit: String(pageSize), skip: String(all.length) };
    const { objects, total } = await fetchAccounts(part, ancestors, signal);
    all.push(...objects);
    if (objects.length === 0 || all.length >= total) break;
  }
  return all.filter(({ _id }) => !selection.excluded.has(_id));
}

type Step = {
  /** Why this one can't be changed, or undefined. */
  refuse?: (account: Account, standing: Owner | undefined) => string | undefined;
  change: (account: Account) => Promise<unknown>;
};

/** A batch for `BatchDialog`. Children come before their parents: a parent with living children can't be deleted. */
export function runOverAccounts(
  selection: Selection,
  query: Search,
  ancestors: readonly string[],
  { refuse, change }: Step,
): BatchRun {
  return async ({ onlyIds, onProgress, signal }) => {
    const accounts =
      onlyIds === undefined
        ? await selectedAccounts(selection, query, ancestors, signal)
        : await fetchAccountsById(onlyIds, signal);
    const wanted = onlyIds ?? (selection.mode === "page" ? [...selection.ids] : []);
    const known = new Set(accounts.map(({ _id }) => _id));
    const standings = new Map(
      refuse === undefined ? [] : (await fetchStandings([...known])).map((one) => [one._id, ownerFrom(one)]),
    );
    const fail: BatchFailure[] = wanted.filter((id) => !known.has(id)).map((id) => ({ id, errMessage: "Not found." }));
    let success = 0;
    for (const account of accounts.toSorted((a, b) => b.parentAccounts.length - a.parentAccounts.length)) {
      if (signal.aborted) fail.push({ id: account._id, errMessage: "Canceled." });
      else {
        const refused = refuse?.(account, standings.get(account._id));
        if (refused === undefined) {
          try {
            await change(account);
            success += 1;
          } catch (error) {
            fail.push(batchFailure(account._id, error));
          }
        } else fail.push({ id: account._id, errMessage: refused });
      }
      onProgress(success + fail.length);
    }
    return { success, fail };
  };
}
