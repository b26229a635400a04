// Creates the query cache, and applies live messages to it.
import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import type { ObjectMessage } from "./live.ts";

/**
 * If a query is invalidated during its first fetch, the library accepts the pending response, which may be older than the
 * change. This client then refetches once more.
 */
export class FreshQueryClient extends QueryClient {
  /** Pending extra refetches by query, so that several invalidations cause only one. */
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
    // Mutations fail immediately when offline, instead of running later unexpectedly.
    mutations: { retry: 0, networkMode: "always" },
  },
});

/** Key prefix of client state that lasts for the session, such as list selections. */
export const sessionStateKey = "kept";
queryClient.setQueryDefaults([sessionStateKey], { gcTime: Infinity, staleTime: Infinity });

/** First part of every query key: the wire type of live messages, `datapoint` or `vehicle`. */
export type EntityType = ObjectMessage["type"] | "datapoint" | "vehicle";

type Listed = { objects?: { _id: string }[] } | { _id: string }[] | { _id: string } | undefined;

/** Minimum time between refetches of lists and totals while objects change. */
const refreshEveryMs = 5000;
const refreshing = new WeakMap<QueryClient, Set<string>>();

/** Minimum time between refetches of the health of customers. */
const refreshHealthEveryMs = 2000;
/** Types whose objects are part of the numbers of customers. */
const countedOfCustomers: ReadonlySet<EntityType> = new Set(["account", "sensor", "issue", "measurement", "artifact"]);

export function refreshSoon(
  client: QueryClient,
  name: string,
  keys: readonly QueryKey[],
  everyMs: number = refreshEveryMs,
): void {
  const waiting = refreshing.get(client) ?? new Set();
  refreshing.set(client, waiting);
  if (waiting.has(name)) return;
  waiting.add(name);
  setTimeout(() => {
    waiting.delete(name);
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  }, everyMs);
}

/**
 * Applies one second of messages. Updates replace rows in place, so that nothing moves under the pointer. Lists whose order,
 * number or membership may change are refetched in the background.
 */
export function applyLiveMessages(client: QueryClient, messages: readonly ObjectMessage[]): void {
  for (const [type, list] of Map.groupBy(messages, (message) => message.type)) {
    const changed = new Map(list.map((message) => [message.obj._id, message]));
    for (const [key, data] of client.getQueriesData<Listed>({ queryKey: [type] })) {
      const next = patched(data, changed);
      if (next !== data) client.setQueryData(key, next);
    }
    // Every change of an object adds audit rows.
    for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ["audit"] })) {
      const [part, id] = queryKey;
      if (changed.has(String(id))) refreshSoon(client, `audit ${String(id)}`, [[part, id]]);
    }
    if (
      countedOfCustomers.has(type) &&
      client.getQueryCache().find({ queryKey: ["customer"], exact: false }) !== undefined
    )
      refreshSoon(client, "customer", [["customer"]], refreshHealthEveryMs);
    if (type === "sensor" && list.some(isOfCoach)) refreshSoon(client, "vehicle", [["vehicle"]]);
    // Issues are few and urgent, so they are refetched at once.
    if (type === "issue" || list.some((message) => message.op !== "update"))
      void client.invalidateQueries({ queryKey: [type] });
    // An update may move an object into or out of a filter.
    else
      refreshSoon(client, type, [
        [type, "list"],
        [type, "total"],
      ]);
  }
}

/** Whether a change of this sensor may add, remove or change a vehicle. Messages about deleted sensors have no type. */
const isOfCoach = ({ op, obj }: ObjectMessage): boolean => op === "delete" || obj["type"] === "ZOD";

/** Messages are delayed by a second, so data cached after a save may be newer. */
function isOlder({ op, obj }: ObjectMessage, row: { _id: string; version?: number }): boolean {
  return op === "update" && Number(obj["version"]) < Number(row.version);
}

function patched(data: Listed, changed: Map<string, ObjectMessage>): Listed {
  const swap = (row: { _id: string }) => {
    const message = changed.get(row._id);
    return message && message.op !== "delete" && !isOlder(message, row) ? { ...row, ...message.obj } : row;
  };
  // Cached names are plain strings.
  if (!data || typeof data !== "object") return data;
  const swapAll = (rows: { _id: string }[]) => (rows.some(({ _id }) => changed.has(_id)) ? rows.map(swap) : rows);
  if (Array.isArray(data)) return swapAll(data);
  if ("_id" in data) return swap(data);
  if (data.objects === undefined) return data;
  const objects = swapAll(data.objects);
  return objects === data.objects ? data : { ...data, objects };
}
