// The cache of server data, and what a live message does to it: known objects change in place, lists are asked again.
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import type { ObjectMessage } from "./live.ts";

/**
 * What is asked for the first time while it changes is asked for once more: the library takes the answer that is on its way,
 * which may be older than the change, for the answer to it.
 */
export class FreshQueryClient extends QueryClient {
  /** Each is asked once more, however much changes meanwhile. */
  readonly #again = new Map<Query, Promise<void>>();

  override async invalidateQueries<Key extends readonly unknown[]>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const first = this.getQueryCache()
      .findAll({ ...filters, fetchStatus: "fetching" } as InvalidateQueryFilters)
      .filter(({ state }) => state.data === undefined);
    const later = first.map((query) => this.#again.get(query) ?? this.#askAgain(query));
    await Promise.all([super.invalidateQueries(filters, options), ...later]);
  }

  #askAgain(query: Query): Promise<void> {
    const done = (query.promise ?? Promise.resolve()).then(
      () => {
        this.#again.delete(query);
        return super.invalidateQueries({ queryKey: query.queryKey, exact: true });
      },
      () => void this.#again.delete(query),
    );
    this.#again.set(query, done);
    return done;
  }
}

export const queryClient = new FreshQueryClient({
  defaultOptions: {
    queries: { staleTime: 30_000, gcTime: 5 * 60_000, retry: 1, refetchOnWindowFocus: false },
    // Without a network, work fails at once and says so; waiting silently would do it when no one expects it any more.
    mutations: { retry: 0, networkMode: "always" },
  },
});

/** First part of the key of what is no answer of the server, but lasts as long as the session: the selection of a list. */
export const keptKey = "kept";
queryClient.setQueryDefaults([keptKey], { gcTime: Infinity, staleTime: Infinity });

/** First part of every query key: the wire type of the live channel, so that one rule serves all nouns; and datapoints. */
export type EntityType = ObjectMessage["type"] | "datapoint";

type Listed = { objects?: { _id: string }[] } | { _id: string }[] | { _id: string } | undefined;

/** Lists and totals are asked again at most this often while objects keep changing. */
const refreshEveryMs = 5000;
const refreshing = new WeakMap<QueryClient, Set<string>>();

/** What is on the screen is asked again, but not for every message. */
function refreshSoon(client: QueryClient, name: string, keys: readonly QueryKey[]): void {
  const waiting = refreshing.get(client) ?? new Set();
  refreshing.set(client, waiting);
  if (waiting.has(name)) return;
  waiting.add(name);
  setTimeout(() => {
    waiting.delete(name);
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  }, refreshEveryMs);
}

/**
 * Applies one second of messages: an update replaces the row in place, so nothing moves under the pointer;
 * what may change order, number or membership of a list is fetched again in the background.
 */
export function applyLiveMessages(client: QueryClient, messages: readonly ObjectMessage[]): void {
  for (const [type, list] of Map.groupBy(messages, (message) => message.type)) {
    const changed = new Map(list.map((message) => [message.obj._id, message]));
    for (const [key, data] of client.getQueriesData<Listed>({ queryKey: [type] })) {
      const next = patched(data, changed);
      if (next !== data) client.setQueryData(key, next);
    }
    // What is recorded of an object grows with every change of it.
    for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ["audit"] })) {
      const [part, id] = queryKey;
      if (changed.has(String(id))) refreshSoon(client, `audit ${String(id)}`, [[part, id]]);
    }
    // Issues are few, and what they are about can't wait.
    if (type === "issue" || list.some((message) => message.op !== "update"))
      void client.invalidateQueries({ queryKey: [type] });
    // An update may bring an object into a filter or out of it.
    else
      refreshSoon(client, type, [
        [type, "list"],
        [type, "total"],
      ]);
  }
}

/** Messages wait for a second before they are applied: what was saved and answered meanwhile is newer. */
function isOlder({ op, obj }: ObjectMessage, row: { _id: string; version?: number }): boolean {
  return op === "update" && Number(obj["version"]) < Number(row.version);
}

function patched(data: Listed, changed: Map<string, ObjectMessage>): Listed {
  const swap = (row: { _id: string }) => {
    const message = changed.get(row._id);
    return message && message.op !== "delete" && !isOlder(message, row) ? { ...row, ...message.obj } : row;
  };
  // Names are kept under the type, too, as bare texts.
  if (!data || typeof data !== "object") return data;
  const swapAll = (rows: { _id: string }[]) => (rows.some(({ _id }) => changed.has(_id)) ? rows.map(swap) : rows);
  if (Array.isArray(data)) return swapAll(data);
  if ("_id" in data) return swap(data);
  if (data.objects === undefined) return data;
  const objects = swapAll(data.objects);
  return objects === data.objects ? data : { ...data, objects };
}
