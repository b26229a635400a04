// Batches over accounts, item by item: which accounts a selection means, and one call for each (spec 1 §2, §7).
import type { Account } from "@psp/contract/account/account.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { type Chosen, itemByItem } from "../../entity/batch/item-batch.ts";
import { fetchStandings, ownerFrom } from "../../session/standings.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import { account, fetchAccounts } from "../account.queries.ts";

type Step = {
  /** Why this one can't be changed, or undefined. */
  refuse?: (account: Account, standing: Owner | undefined) => string | undefined;
  change: (account: Account) => Promise<unknown>;
};

/** A batch for `BatchDialog`. Children come before their parents: a parent with living children can't be deleted. */
export function runOverAccounts(chosen: Chosen, ancestors: readonly string[], { refuse, change }: Step): BatchRun {
  return itemByItem<Account>({
    page: (query, signal) => fetchAccounts(query, ancestors, signal),
    list: account.list,
    chosen,
    order: (a, b) => b.parentAccounts.length - a.parentAccounts.length,
    async prepare(accounts) {
      const standings = refuse === undefined ? [] : await fetchStandings(accounts.map(({ _id }) => _id));
      const known = new Map(standings.map((one) => [one._id, ownerFrom(one)]));
      return async (one) => {
        const reason = refuse?.(one, known.get(one._id));
        if (reason === undefined) await change(one);
        return reason;
      };
    },
  });
}
