// Loads a location's ledger, and computes its curve.
import { getOccupancyLedger } from "@psp/contract/occupancy/occupancy.api.ts";
import type { ReplyOf } from "@psp/contract/kit/endpoint.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Slot } from "../../ui/chart/slots.ts";
import { toLocalMinute } from "./local-time.ts";

export type Ledger = ReplyOf<typeof getOccupancyLedger>;

const keyOf = (id: string) => ["datapoint", "ledger", id];
const refreshMs = 60_000;

/** Null means now. */
export function useLedger(id: string, at: string | null) {
  return useQuery({
    queryKey: [...keyOf(id), at],
    queryFn: ({ signal }) => call(getOccupancyLedger, { params: { id }, query: at === null ? {} : { at }, signal }),
    refetchInterval: at === null ? refreshMs : false,
  });
}

export function useRefreshLedger(id: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keyOf(id) });
}

const slotMs = 5 * 60_000;
const dayMs = 24 * 3_600_000;
const tickMs = 3 * 3_600_000;

/** Five-minute slots since the reset, each with its last count, the maximum number of people, and the bounds of the count. */
export function slotsOf({ since, shown, course }: Ledger, zone: string): Slot[] {
  const first = Date.parse(since);
  const until = Date.parse(shown.at);
  const length = Math.max(1, Math.ceil(Math.max(dayMs, until - first) / slotMs));
  let next = 0;
  let last: Ledger["course"][number] | undefined;
  return Array.from({ length }, (_, index): Slot => {
    const start = first + index * slotMs;
    for (;;) {
      const step = course[next];
      if (step === undefined || Date.parse(step.at) >= start + slotMs) break;
      last = step;
      next += 1;
    }
    const { date, time } = toLocalMinute(start, zone);
    const isTick = time.endsWith(":00") && Number(time.slice(0, 2)) % (tickMs / 3_600_000) === 0;
    const base = { at: new Date(start).toISOString(), label: `${date} ${time}`, tick: isTick ? time : undefined };
    if (start > until) return { ...base, values: [null, shown.maxObjects, null, null], gap: "ahead" };
    if (last === undefined || last.state === "unknown")
      return { ...base, values: [null, shown.maxObjects, null, null], gap: "unknown" };
    return { ...base, values: [last.count, shown.maxObjects, last.low, last.high] };
  });
}
