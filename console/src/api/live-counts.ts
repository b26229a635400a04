// What a message about stored counts does to the counts on the screen: those that it concerns are asked again, at once, and
// at most every 1.5 s while messages go on, so that a page is right within 2 s (docs/rules/live-channel.md#counts).
import type { CountsStoredMessage } from "@psp/contract/live/live-message.ts";
import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import type { CountsKey } from "./counts-key.ts";

const everyMs = 1500;
/** Local days begin up to 14 hours before and end up to 12 hours after those of UTC. */
const zonesMs = 86_400_000;

/** Under way, by query; true when it has to be done once more. */
const underWay = new WeakMap<QueryClient, Map<string, boolean>>();

/** Asks every query again that one of the messages concerns. */
export function applyCounts(client: QueryClient, messages: readonly CountsStoredMessage[]): void {
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: ["datapoint"] }))
    if (messages.some((message) => isConcerned(queryKey as CountsKey, message))) refresh(client, queryKey);
}

function isConcerned([, , subject, range]: CountsKey, { obj }: CountsStoredMessage): boolean {
  const isSubject = subject === "any" || subject === `meas:${obj.measID}` || subject === `sens:${obj.sens}`;
  // Named ranges move with the day; two dates end where they say. What is older may be in the period compared with.
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
  // A slow answer is waited for: asked again and again it would never come.
  void Promise.allSettled([client.invalidateQueries({ queryKey, exact: true }), pause]).then(() => {
    const again = waiting.get(hash) === true;
    waiting.delete(hash);
    if (again) refresh(client, queryKey);
  });
}
