// Evaluates a device's issues from its facts: wrong clock, rejected data, shared identity. Does not access the database.
import type { IssueFacts } from "@psp/contract/monitoring/issue.ts";
import type { deviceIssueTypes } from "@psp/contract/monitoring/issue-words.ts";
import { isClockWrong } from "../../device/clock/clock.rules.ts";
import type { SharedIdentity } from "../../device/identity/takeover.rules.ts";
import { formatDuration } from "@psp/contract/kit/format-time.ts";
import { okVerdict, pluralize, type Verdict } from "../checks/verdict.rules.ts";

export type DeviceFacts = {
  /** Positive if the device's clock is ahead; null if unknown. */
  clockOffMs: number | null;
  rejected: { count: number; oldestMs: number; reasons: { reason: string; count: number }[] } | null;
  restartedMs: number | null;
  shared: SharedIdentity | null;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dataWindowMs = 24 * hourMs;
/** If the clock is this far ahead, counts are held back until their time. If it is this far behind, counts fall into wrong hours. */
const clockErrorMs = 10 * minuteMs;
const maxReasons = 5;
const rejectedWarning = 3;
const rejectedError = 50;
/** An identity counts as shared until this long after the last takeover. */
export const sharedIdentityTimeoutMs = hourMs;

export type DeviceVerdicts = Record<(typeof deviceIssueTypes)[number], Verdict>;

export function evaluateDevice(facts: DeviceFacts, nowMs: number): DeviceVerdicts {
  return {
    clock: judgeClock(facts.clockOffMs),
    data: judgeData(facts, nowMs),
    identity: judgeIdentity(facts.shared, nowMs),
  };
}

/** A clock that is wrong by more than a minute is a warning, by more than ten minutes an error. */
function judgeClock(offMs: number | null): Verdict {
  if (offMs === null || !isClockWrong(offMs)) return okVerdict("The sensor clock is correct");
  const size = Math.abs(offMs);
  return {
    status: size > clockErrorMs ? "Error" : "Warning",
    message: `Sensor clock is wrong by ${formatDuration(size)} (${offMs > 0 ? "ahead" : "behind"})`,
    facts: { clock: { offMs } },
    againAt: Infinity,
  };
}

function judgeData({ rejected, restartedMs }: DeviceFacts, nowMs: number): Verdict {
  const count = rejected?.count ?? 0;
  const hasRestarted = restartedMs !== null && restartedMs >= nowMs - dataWindowMs;
  // One millisecond after the records leave the window.
  const endings = [
    ...(rejected ? [rejected.oldestMs + dataWindowMs + 1] : []),
    ...(hasRestarted ? [restartedMs + dataWindowMs + 1] : []),
  ];
  const againAt = Math.min(Infinity, ...endings);
  const status = count >= rejectedError ? "Error" : count >= rejectedWarning || hasRestarted ? "Warning" : "Ok";
  const data: NonNullable<IssueFacts["data"]> = {
    rejected: count,
    reasons: rejected?.reasons.slice(0, maxReasons) ?? [],
    restartedAt: hasRestarted ? new Date(restartedMs).toISOString() : null,
  };
  if (status === "Ok") return okVerdict("The sensor's data is accepted", againAt, { data });
  const parts = [
    ...(count > 0 ? [`${pluralize(count, "record")} rejected in 24 hours`] : []),
    ...(hasRestarted ? ["the sensor restarted its record numbers; its counts are included"] : []),
  ];
  const text = parts.join("; ");
  return { status, message: text.charAt(0).toUpperCase() + text.slice(1), facts: { data }, againAt };
}

function judgeIdentity(shared: SharedIdentity | null, nowMs: number): Verdict {
  if (!shared || shared.lastMs <= nowMs - sharedIdentityTimeoutMs)
    return okVerdict("Only one device uses the identity of this sensor");
  const { count: takeovers, addresses } = shared;
  const where =
    addresses[0] === addresses[1] ? `both from ${addresses[0]}` : `from ${addresses[0]} and ${addresses[1]}`;
  return {
    status: "Error",
    message: `Two devices use the identity of this sensor, ${where}`,
    facts: { since: new Date(shared.sinceMs).toISOString(), identity: { takeovers, addresses } },
    againAt: shared.lastMs + sharedIdentityTimeoutMs,
  };
}
