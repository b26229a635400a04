// Query for the comparison of today with earlier days, which changes once an hour.
import { locationStats } from "@psp/contract/location/location.api.ts";
import { todayCounts, type TodayCounts } from "@psp/contract/counts/counts.api.ts";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

/** Late counts of an hour that has passed are shown when the page is opened again. */
const freshMs = 5 * 60_000;
/** Lower bound for a wrong clock of the browser. */
const soonestMs = 60_000;

/** Random, so that the dashboards of all users do not ask in the same second. */
const delayMs = Math.random() * 30_000;

const untilNextMs = (data: TodayCounts | undefined): number | false =>
  data === undefined || data.next === null ? false : Math.max(soonestMs, Date.parse(data.next) - Date.now() + delayMs);

export const useToday = () =>
  useQuery({
    queryKey: ["measurement", "today"],
    queryFn: ({ signal }) => call(todayCounts, { query: { open: "true" }, signal }),
    staleTime: freshMs,
    refetchInterval: ({ state: { data } }) => untilNextMs(data),
    // The timer does not run while the page is hidden.
    refetchOnWindowFocus: true,
  });

export const useLocationStats = () =>
  useQuery({
    queryKey: ["measurement", "total", "stats"],
    queryFn: ({ signal }) => call(locationStats, { signal }),
  });
