// Computes expected issues from the raw facts at every instant, with code independent of the server's.
import type { MonitoringConfig } from "@psp/contract/monitoring/monitoring-config.ts";

export const issueKinds = ["connection", "plauzibilization", "osd", "uptime", "reboot", "watchdog"] as const;
export type IssueKind = (typeof issueKinds)[number];
export type ExpectedStatus = "Ok" | "Warning" | "Error";

export type RawFacts = {
  zone: string;
  offlineSince: number | null;
  views: { at: number; code: number }[];
  slices: Map<number, { seconds: number; reboots: number; resets: number }>;
  /** Number of people and known share of the day, by local date. */
  days: Map<string, { total: number; share: number }>;
  lastArrival: number | null;
};

const dayMs = 86_400_000;
const dateOf = (zone: string, ms: number) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate();
const startOf = (zone: string, date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;

const grade = (isError: boolean, isWarning: boolean): ExpectedStatus =>
  isError ? "Error" : isWarning ? "Warning" : "Ok";

function lasting(since: number | null, warning: number, error: number, now: number): ExpectedStatus {
  if (since === null) return "Ok";
  return grade(now - since >= error * dayMs, now - since >= warning * dayMs);
}

function obstructedSince(views: RawFacts["views"]): number | null {
  let since: number | null = null;
  for (const { at, code } of views.toSorted((a, b) => a.at - b.at)) since = code === 0 ? null : (since ?? at);
  return since;
}

function recent(raw: RawFacts, pick: "reboots" | "resets", now: number): number {
  let sum = 0;
  for (const [start, slice] of raw.slices) if (start >= now - dayMs && start <= now) sum += slice[pick];
  return sum;
}

/** Seconds of uptime in the last `n` complete days before the last delivery; null if fewer are known. */
function secondsOf({ zone, slices, lastArrival }: RawFacts, n: number, now: number): number | null {
  if (lastArrival === null || slices.size === 0) return null;
  const first = Math.min(...slices.keys());
  const until = dateOf(zone, Math.min(lastArrival, now));
  let sum = 0;
  for (let back = 1; back <= n; back += 1) {
    const date = until.subtract({ days: back });
    const [from, to] = [startOf(zone, date), startOf(zone, date.add({ days: 1 }))];
    if (first > from) return null;
    for (const [start, { seconds }] of slices) if (start >= from && start < to) sum += seconds;
  }
  return sum;
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(position)] ?? 0, sorted[Math.ceil(position)] ?? 0];
  return low * (1 - (position % 1)) + high * (position % 1);
}

function isImplausible({ days }: RawFacts, date: Temporal.PlainDate, weeks: number): boolean {
  const known = (one: Temporal.PlainDate) => {
    const day = days.get(String(one));
    return day !== undefined && day.share >= 0.8 ? day.total : null;
  };
  const total = known(date);
  if (total === null) return false;
  const before: number[] = [];
  for (let week = 1; week <= weeks; week += 1) {
    const value = known(date.subtract({ weeks: week }));
    if (value !== null) before.push(value);
  }
  if (before.length < 4) return false;
  const [q1, q2, q3] = [quantile(before, 0.25), quantile(before, 0.5), quantile(before, 0.75)];
  if (total === 0 && q2 >= 5) return true;
  // A total is implausible if its distance from the range q1 to q3 exceeds ten, a tenth of the median, and three times (q3 - q1).
  const beyond = Math.max(total - q3, q1 - total);
  return beyond > 10 && beyond > q2 / 10 && beyond > 3 * (q3 - q1);
}

function implausibleRun(raw: RawFacts, weeks: number, most: number, now: number): number {
  let date = dateOf(raw.zone, now).subtract({ days: 1 });
  let run = 0;
  while (run < most && isImplausible(raw, date, weeks)) {
    run += 1;
    date = date.subtract({ days: 1 });
  }
  return run;
}

function uptimeStatus(raw: RawFacts, uptime: MonitoringConfig["uptime"], now: number): ExpectedStatus {
  const low = (n: unknown, least: unknown) => {
    const sum = secondsOf(raw, Number(n), now);
    return sum !== null && sum < Number(least) * Number(n) * 3600;
  };
  return grade(
    low(uptime.errorRepeatingTime, uptime.errorAverageTime),
    low(uptime.warningRepeatingTime, uptime.warningAverageTime),
  );
}

export function expectedStatuses(
  raw: RawFacts,
  config: MonitoringConfig | null,
  now: number,
): Record<IssueKind, ExpectedStatus> {
  const all = Object.fromEntries(issueKinds.map((kind) => [kind, "Ok"])) as Record<IssueKind, ExpectedStatus>;
  if (config === null) return all;
  const of = (service: { warningThreshold?: number | null | undefined; errorThreshold?: number | null | undefined }) =>
    [Number(service.warningThreshold), Number(service.errorThreshold)] as const;
  const { connection, osd, reboot, watchdog, dataplaus, uptime } = config;
  if (connection.enabled) all.connection = lasting(raw.offlineSince, ...of(connection), now);
  if (osd.enabled) all.osd = lasting(obstructedSince(raw.views), ...of(osd), now);
  const often = (n: number, [warning, error]: readonly [number, number]) =>
    grade(n >= error, n >= Math.max(1, warning));
  if (reboot.enabled) all.reboot = often(recent(raw, "reboots", now), of(reboot));
  if (watchdog.enabled) all.watchdog = often(recent(raw, "resets", now), of(watchdog));
  if (uptime.enabled) all.uptime = uptimeStatus(raw, uptime, now);
  if (dataplaus.enabled) {
    const [warning, error] = of(dataplaus);
    const run = implausibleRun(raw, Number(dataplaus.filterWindowInWeeks), error, now);
    all.plauzibilization = grade(run >= error, run >= warning);
  }
  return all;
}
