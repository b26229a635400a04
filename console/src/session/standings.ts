// How accounts relate to the actor, asked of the server: what many rows ask at the same moment goes in few calls.
import { listStandings, type Standing } from "@psp/contract/account/rights.api.ts";
import type { AccountId } from "@psp/contract/kit/ids.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { call } from "../api/call.ts";

/** How many ids fit into one address. */
const perCall = 100;

type Round = { ids: Set<AccountId>; answer: Promise<Map<AccountId, Standing>> };
let round: Round | null = null;

/** Open for what else is asked before the browser gets to other work. */
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

/** One answer for each id, in no particular order. */
export async function fetchStandings(ids: readonly AccountId[]): Promise<Standing[]> {
  if (ids.length === 0) return [];
  round ??= openRound();
  for (const id of ids) round.ids.add(id);
  const known = await round.answer;
  return ids.flatMap((id) => known.get(id) ?? []);
}

export const ownerFrom = ({ _id, parentAccounts, roleId }: Standing): Owner => ({ id: _id, parentAccounts, roleId });
