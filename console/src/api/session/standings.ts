// Loads the standings of accounts. Combines concurrent requests.
import { listStandings, type Standing } from "@psp/contract/account/rights.api.ts";
import type { AccountId } from "@psp/contract/kit/ids.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { call } from "../call.ts";

const perCall = 100;

type Round = { ids: Set<AccountId>; answer: Promise<Map<AccountId, Standing>> };
let round: Round | null = null;

/** Collects ids until the current task ends, then loads their standings. */
function openRound(): Round {
  const ids = new Set<AccountId>();
  const answer = new Promise<void>((resolve) => void setTimeout(resolve)).then(async () => {
    round = null;
    const all = [...ids];
    const parts = Array.from({ length: Math.ceil(all.length / perCall) }, (_, n) =>
      call(listStandings, { query: { ids: all.slice(n * perCall, (n + 1) * perCall) } }),
    );
    return new Map((await Promise.all(parts)).flat().map((standing) => [standing._id, standing]));
  });
  return { ids, answer };
}

/** In the order of `ids`, without accounts that the server doesn't return. */
export async function fetchStandings(ids: readonly AccountId[]): Promise<Standing[]> {
  if (ids.length === 0) return [];
  round ??= openRound();
  for (const id of ids) round.ids.add(id);
  const known = await round.answer;
  return ids.flatMap((id) => known.get(id) ?? []);
}

export const ownerFromStanding = ({ _id, parentAccounts, roleId }: Standing): Owner => ({
  id: _id,
  parentAccounts,
  roleId,
});
