// Runs all checks of one sensor over its facts, without a database, so that the result depends only on facts and time.
import { type IssueType, monitoredIssueTypes } from "@psp/contract/monitoring/issue-words.ts";
import { type MonitoringConfig, monitoringConfigSchema } from "@psp/contract/monitoring/monitoring-config.ts";
import { monitoringDefaults } from "@psp/contract/monitoring/limits.ts";
import type { Zone } from "@psp/contract/kit/zone.ts";
import { checkEvents, type EventSlice, rebootWords, resetWords } from "./checks/events.rules.ts";
import { checkConnection, checkObstruction, type Obstruction } from "./checks/lasting.rules.ts";
import { checkPlausibility, type CountedDays } from "./checks/plausibility.rules.ts";
import { checkUptime, type UptimeFacts } from "./checks/uptime.rules.ts";
import { disabledVerdict, type Verdict } from "./checks/verdict.rules.ts";

type Defaults = typeof monitoringDefaults;
/** A configuration in which defaults replace the numbers that a disabled service may omit. */
export type CheckedConfig = Omit<
  MonitoringConfig,
  "connection" | "dataplaus" | "uptime" | "osd" | "reboot" | "watchdog"
> &
  Pick<Defaults, "connection" | "dataplaus" | "uptime" | "osd" | "reboot" | "watchdog">;

const checked = new WeakMap<object, CheckedConfig | null>();

/** Null if it is none. Sensors with the same configuration share the object, which must not be changed. */
export function readConfig(stored: unknown): CheckedConfig | null {
  if (typeof stored !== "object" || stored === null) return null;
  return checked.getOrInsertComputed(stored, checkConfig);
}

function checkConfig(stored: object): CheckedConfig | null {
  const parsed = monitoringConfigSchema.safeParse(stored);
  if (!parsed.success) return null;
  const { data } = parsed;
  const whole = <K extends "connection" | "dataplaus" | "uptime" | "osd" | "reboot" | "watchdog">(
    key: K,
  ): Defaults[K] => {
    const given = Object.entries(data[key]).filter(([, value]) => value !== null && value !== undefined);
    return { ...monitoringDefaults[key], ...Object.fromEntries(given) };
  };
  return {
    ...data,
    connection: whole("connection"),
    dataplaus: whole("dataplaus"),
    uptime: whole("uptime"),
    osd: whole("osd"),
    reboot: whole("reboot"),
    watchdog: whole("watchdog"),
  };
}

/** Facts of a sensor at an instant. `days` is null if the days were already evaluated and nothing has changed. */
export type SensorFacts = {
  /** Null if the sensor is connected or never was. */
  offlineSinceMs: number | null;
  obstruction: Obstruction | null;
  reboots: readonly EventSlice[];
  resets: readonly EventSlice[];
  days: { zone: Zone; uptime: UptimeFacts; counted: CountedDays } | null;
};

export type Verdicts = Partial<Record<IssueType, Verdict>>;

export function evaluateFacts(config: CheckedConfig, facts: SensorFacts, nowMs: number): Verdicts {
  const { connection, osd, reboot, watchdog } = config;
  const when = (service: { enabled: boolean }, check: () => Verdict) => (service.enabled ? check() : disabledVerdict);
  return {
    connection: when(connection, () => checkConnection(connection, facts.offlineSinceMs, nowMs)),
    osd: when(osd, () => checkObstruction(osd, facts.obstruction, nowMs)),
    reboot: when(reboot, () => checkEvents(reboot, facts.reboots, nowMs, rebootWords)),
    watchdog: when(watchdog, () => checkEvents(watchdog, facts.resets, nowMs, resetWords)),
    ...(facts.days === null ? {} : evaluateDays(config, facts.days, nowMs)),
  };
}

function evaluateDays(
  { uptime, dataplaus }: CheckedConfig,
  { zone, uptime: known, counted }: NonNullable<SensorFacts["days"]>,
  nowMs: number,
): Verdicts {
  const today = zone.dayAt(nowMs);
  const tomorrow = zone.dayStart(today + 1);
  return {
    uptime: uptime.enabled ? checkUptime(uptime, known, tomorrow) : disabledVerdict,
    plauzibilization: dataplaus.enabled ? checkPlausibility(dataplaus, counted, today - 1, tomorrow) : disabledVerdict,
  };
}

/** When the sensor must be checked again without new facts; Infinity for never. */
export function findEarliestRecheckMs(verdicts: Verdicts): number {
  return Math.min(Infinity, ...monitoredIssueTypes.flatMap((type) => verdicts[type]?.againAt ?? []));
}
