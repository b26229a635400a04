// A self-updating relative time such as "5 minutes ago", with the exact time and zone on hover.
import { Box } from "@mui/material";
import { useSyncExternalStore } from "react";
import { useTip } from "../feedback/Tip.tsx";

const listeners = new Set<() => void>();
let ticker: ReturnType<typeof setInterval> | undefined;
let tick = Date.now();

// A single timer for all relative times; it runs only while some are displayed.
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

/** The current time (ms), updated every 10 s. */
export const useNow = () => useSyncExternalStore(subscribe, () => tick);

const steps: readonly [limitSeconds: number, unitSeconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [86_400 * 30, 86_400, "day"],
  [86_400 * 365, 86_400 * 30, "month"],
  [Number.POSITIVE_INFINITY, 86_400 * 365, "year"],
];

/** Relative time of `at` at the time `now` (both ms); "just now" within 45 s. */
export function formatRelativeTime(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return "just now";
  const step = steps.find(([limit]) => distance < limit) ?? steps[steps.length - 1];
  if (step === undefined) return "";
  const amount = Math.max(1, Math.round(distance / step[1])) * Math.sign(seconds);
  return new Intl.RelativeTimeFormat("en", { numeric: "always" }).format(amount, step[2]);
}

/** Date and time with zone: "20 Nov 2026, 12:43:39 CET". */
export function formatExactTime(at: number, timeZone?: string): string {
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
  /** Shown if there is no time; default "-". */
  fallback?: string;
  /** Precedes the exact time on hover, e.g. "Connected since". */
  prefix?: string;
};

export function RelativeTime({ value, timeZone, fallback = "-", prefix }: RelativeTimeProps) {
  const now = useNow();
  const at = value === null || value === undefined ? Number.NaN : new Date(value).getTime();
  const { handlers, tip } = useTip(() => {
    if (Number.isNaN(at)) return undefined;
    return prefix === undefined ? formatExactTime(at, timeZone) : `${prefix} ${formatExactTime(at, timeZone)}`;
  });
  if (Number.isNaN(at)) return <>{fallback}</>;
  return (
    <>
      <Box component="time" dateTime={new Date(at).toISOString()} {...handlers} sx={{ whiteSpace: "nowrap" }}>
        {formatRelativeTime(at, Math.max(now, tick))}
      </Box>
      {tip}
    </>
  );
}
