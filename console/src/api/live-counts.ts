// Refetches displayed counts that live messages affect, at once but at most every 1.5 s (docs/rules/live-channel.md#counts).
// A page is then up to date within 2 s.
import type { CountsStoredMessage } from "@psp/contract/live/live-message.ts";
import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import type { CountsKey } from "./counts-key.ts";

const everyMs = 1500;
/** One day. A local day ends at most 12 hours after the UTC day of the same date, so less than two days after its start. */
const zonesMs = 86_400_000;

/** Running refetches by query. True means that another refetch must follow. */
const underWay = new WeakMap<QueryClient, Map<string, boolean>>();

export function refetchAffectedCounts(client: QueryClient, messages: readonly CountsStoredMessage[]): void {
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ["datapoint"] }))
    if (messages.some((message) => isConcerned(queryKey as CountsKey, message))) refresh(client, queryKey);
}

function isConcerned([, , subject, range]: CountsKey, { obj }: CountsStoredMessage): boolean {
  const isSubject = subject === "any" || subject === `meas:${obj.measID}` || subject === `sens:${obj.sens}`;
  // Only fixed ranges have a last day, presets have none. Counts before the range may affect the comparison period.
  const last = Date.parse(/,(\d{4}-\d{2}-\d{2})$/.exec(range ?? "")?.[1] ?? "");
  return isSubject && (Number.isNaN(last) || Date.parse(obj.from) < last + 2 * zonesMs);
}

function refresh(client: QueryClient, queryKey: QueryKey): void {
  const waiting = underWay.get(client) ?? new Map<string, boolean>();
  underWay.set(client, waiting);
  const hash = hashKey(queryKey);
  if (waiting.has(hash)) {
    waiting.set(hash, true);
    return;
  }
  waiting.set(hash, false);
  const pause = new Promise((resolve) => setTimeout(resolve, everyMs));
  // Waits for the response, because refetching earlier would cancel a slow request again and again.
  void Promise.allSettled([client.invalidateQueries({ queryKey, exact: true }), pause]).then(() => {
    const again = waiting.get(hash) === true;
    waiting.delete(hash);
    if (again) refresh(client, queryKey);
  });
}
