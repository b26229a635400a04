// Runs a batch in the browser: loads the selected objects and sends one request per object.
import type { SearchParams } from "../../address/address.ts";
import { type ListResponse, toListResult } from "../../api/listed.ts";
import { toBatchFailure } from "../../api/useFailure.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import type { BatchFailure } from "../../ui/batch/batchRun.ts";
import type { Selection } from "../../ui/table/Selection.ts";

const perCall = 100;
const perPage = 500;

const canceled = "Canceled.";
const gone = "Not found.";

export type BatchSelection = { selection: Selection; filters: SearchParams };

type FetchList<T> = (query: SearchParams, signal: AbortSignal) => Promise<ListResponse<T>>;

type ItemBatch<T> = {
  /** Fetches a page of the list, with the fixed filters that the list adds. */
  page: FetchList<T>;
  /** Fetches objects by id, without the fixed filters. */
  list: FetchList<T>;
  chosen: BatchSelection;
  /** Called once with all objects. Returns a function that processes one object and may return a reason to refuse it. */
  prepare: (items: readonly T[]) => Promise<(item: T) => Promise<string | undefined>>;
  order?: (a: T, b: T) => number;
  afterwards?: () => unknown;
};

export async function fetchByIds<T>(list: FetchList<T>, ids: readonly string[], signal: AbortSignal): Promise<T[]> {
  const found: T[] = [];
  for (let from = 0; from < ids.length; from += perCall) {
    const query = { ids: ids.slice(from, from + perCall), limit: String(perCall) };
    found.push(...toListResult(await list(query, signal)).objects);
  }
  return found;
}

async function matching<T extends { _id: string }>(
  page: FetchList<T>,
  filters: SearchParams,
  but: ReadonlySet<string>,
  signal: AbortSignal,
) {
  const items: T[] = [];
  for (let skip = 0; ; skip += perPage) {
    const query = { ...filters, sortBy: "_id", limit: String(perPage), skip: String(skip) };
    const found = toListResult(await page(query, signal)).objects;
    items.push(...found.filter((item) => !but.has(item._id)));
    if (found.length < perPage) return items;
  }
}

export function createItemBatch<T extends { _id: string }>(batch: ItemBatch<T>): BatchRun {
  const { page, list, prepare, order, afterwards } = batch;
  const { selection, filters } = batch.chosen;
  return async ({ onlyIds, onProgress, signal }) => {
    const given = onlyIds ?? (selection.mode === "page" ? [...selection.ids] : null);
    const items =
      selection.mode === "query" && given === null
        ? await matching(page, filters, selection.excluded, signal)
        : await fetchByIds(list, given ?? [], signal);
    const known = new Map((order === undefined ? items : items.toSorted(order)).map((item) => [item._id, item]));
    const missing = (given ?? []).filter((id) => !known.has(id));
    const ids = order === undefined && given !== null ? given : [...missing, ...known.keys()];
    const step = await prepare(items);
    const fail: BatchFailure[] = [];
    let done = 0;
    for (const id of ids) {
      const item = known.get(id);
      try {
        const reason = signal.aborted ? canceled : item === undefined ? gone : await step(item);
        if (reason !== undefined) fail.push({ id, errMessage: reason });
      } catch (error) {
        fail.push(toBatchFailure(id, error));
      }
      onProgress((done += 1));
    }
    afterwards?.();
    return { success: ids.length - fail.length, fail };
  };
}
