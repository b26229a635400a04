// Batches that the specification wants done one by one: the chosen objects as they are now, one call each, each refusal with its own sentence.
import type { Actor } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Search } from "../address/address.ts";
import { batchFailure } from "../api/useFailure.ts";
import { fetchStandings, ownerFrom } from "../session/standings.ts";
import type { BatchRun } from "../ui/batch/batchJob.ts";
import type { BatchFailure } from "../ui/batch/batchRun.ts";
import type { Selection } from "../ui/table/Selection.ts";

/** So many ids fit into one address. */
const perCall = 100;
const perPage = 500;

const canceled = "Canceled.";
const gone = "Not found.";

export type Item = { _id: string; owner: { _id: string } };
/** Asks for the objects that match a list's query. */
export type ListItems<T> = (query: Search, signal: AbortSignal) => Promise<T[] | { objects: T[] }>;
export type Chosen = { actor: Actor; selection: Selection; filters: Search };
/** What is to be done with one object; answers the reason when it may not be. */
export type Step<T> = (item: T) => Promise<string | undefined>;
type Prepare<T> = (ownerOf: (id: string) => Owner) => Step<T>;

const rowsOf = <T>(reply: T[] | { objects: T[] }): T[] => (Array.isArray(reply) ? reply : reply.objects);

async function byIds<T>(list: ListItems<T>, ids: readonly string[], signal: AbortSignal): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += perCall) {
    const query = { ids: ids.slice(from, from + perCall), limit: String(perCall) };
    found.push(...rowsOf(await list(query, signal)));
  }
  return found;
}

/** The chosen objects; in query mode everything that matches `filters` but the exceptions. */
async function chosen<T extends Item>(list: ListItems<T>, selection: Selection, filters: Search, signal: AbortSignal) {
  if (selection.mode === "page") {
    const ids = [...selection.ids];
    return { ids, items: await byIds(list, ids, signal) };
  }
  const items: T[] = [];
  for (let skip = 0; ; skip += perPage) {
    const page = rowsOf(await list({ ...filters, sortBy: "_id", limit: String(perPage), skip: String(skip) }, signal));
    items.push(...page.filter((item) => !selection.excluded.has(item._id)));
    if (page.length < perPage) return { ids: items.map((item) => item._id), items };
  }
}

async function ownersOf(actor: Actor, ids: readonly string[]): Promise<(id: string) => Owner> {
  const others = [...new Set(ids)].filter((id) => id !== actor.id);
  const known = new Map((await fetchStandings(others)).map((one) => [one._id, ownerFrom(one)]));
  known.set(actor.id, actor);
  return (id) => known.get(id) ?? { id, parentAccounts: [], roleId: null };
}

/** Does `prepare`'s step with every chosen object. `owners` are accounts beside the objects' own that it asks about. */
export function itemByItem<T extends Item>(
  list: ListItems<T>,
  { actor, selection, filters }: Chosen,
  owners: readonly string[],
  prepare: Prepare<T>,
  afterwards: () => void,
): BatchRun {
  return async ({ onlyIds, onProgress, signal }) => {
    const { ids, items } =
      onlyIds === undefined
        ? await chosen(list, selection, filters, signal)
        : { ids: [...onlyIds], items: await byIds(list, onlyIds, signal) };
    const known = new Map(items.map((item) => [item._id, item]));
    const step = prepare(await ownersOf(actor, [...owners, ...items.map((item) => item.owner._id)]));
    const fail: BatchFailure[] = [];
    let done = 0;
    for (const id of ids) {
      const item = known.get(id);
      try {
        const reason = signal.aborted ? canceled : item === undefined ? gone : await step(item);
        if (reason !== undefined) fail.push({ id, errMessage: reason });
      } catch (error) {
        fail.push(batchFailure(id, error));
      }
      onProgress((done += 1));
    }
    afterwards();
    return { success: ids.length - fail.length, fail };
  };
}
