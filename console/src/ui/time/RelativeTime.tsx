// "5 minutes ago", kept current, with the exact time and its zone on hover.
import { Box } from "@mui/material";
import { useSyncExternalStore } from "react";
import { useTip } from "../feedback/Tip.tsx";

const listeners = new Set<() => void>();
let ticker: ReturnType<typeof setInterval> | undefined;
let tick = Date.now();

// One clock for all times on the screen, running only while some are shown.
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (ticker === undefined) tick = Date.now();
  ticker ??= setInterval(() => {
    tick = Date.now();
    for (const each of listeners) each();
  }, 10_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticker);
    ticker = undefined;
  };
}

/** The time of that clock. */
export const useNow = () => useSyncExternalStore(subscribe, () => tick);

const steps: readonly [limitSeconds: number, unitSeconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [86_400 * 30, 86_400, "day"],
  [86_400 * 365, 86_400 * 30, "month"],
  [Number.POSITIVE_INFINITY, 86_400 * 365, "year"],
];

/** Relative words for `at` seen from `now` (both ms); within 45 s "just now". */
export function relativeWords(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return "just now";
  const step = steps.find(([limit]) => distance < limit) ?? steps[steps.length - 1];
  if (step === undefined) return "";
  const amount = Math.max(1, Math.round(distance / step[1])) * Math.sign(seconds);
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(amount, step[2]);
}

/** Exact date and time with the zone's name, e.g. "20 Nov 2026, 12:43:39 CET". */
export function exactWords(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    day: "2-digit",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
    ...(timeZone === undefined ? {} : { timeZone }),
  }).format(at);
}

type RelativeTimeProps = {
  /** ISO text, ms or Date; null or undefined shows `fallback`. */
  value: string | number | Date | null | undefined;
  /** IANA zone of the exact time; default the browser's. */
  timeZone?: string;
  /** Shown when there is no time; default "-". */
  fallback?: string;
  /** Put before the exact time on hover, e.g. "Connected since". */
  prefix?: string;
};

export function RelativeTime({ value, timeZone, fallback = "-", prefix }: RelativeTimeProps) {
  const now = useNow();
  const at = value === null || value === undefined ? Number.NaN : new Date(value).getTime();
  const { handlers, tip } = useTip(() => {
    if (Number.isNaN(at)) return undefined;
    return prefix === undefined ? exactWords(at, timeZone) : `${prefix} ${exactWords(at, timeZone)}`;
  });
  if (Number.isNaN(at)) return <>{fallback}</>;
  return (
    <>
      <Box component="time" dateTime={new Date(at).toISOString()} {...handlers} sx={{ whiteSpace: "nowrap" }}>
        {relativeWords(at, Math.max(now, tick))}
      </Box>
      {tip}
    </>
  );
}
