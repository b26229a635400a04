// Checks how many days a sensor has been out of contact or its view obstructed (docs/rules/monitoring.md#checks).
import { dayMs } from "@psp/contract/kit/zone.ts";
import {
  toThresholdMessage,
  okVerdict,
  findReachedThreshold,
  pluralize,
  undecidedVerdict,
  type Verdict,
} from "./verdict.rules.ts";

type Thresholds = { warningThreshold: number; errorThreshold: number };

type Words = { what: string; state: string; fine: string };

/** `sinceMs` is null if the sensor is not in that state. A threshold of 0 days is reached at once. */
function checkLasting(
  thresholds: Thresholds,
  sinceMs: number | null,
  nowMs: number,
  { what, state, fine }: Words,
): Verdict {
  if (sinceMs === null) return okVerdict(`${what} is ${fine}`);
  const { warningThreshold: warning, errorThreshold: error } = thresholds;
  const facts = { since: new Date(sinceMs).toISOString() };
  const days = Math.max(0, Math.floor((nowMs - sinceMs) / dayMs));
  const next = [warning, error].map((n) => sinceMs + n * dayMs).filter((at) => at > nowMs);
  const againAt = Math.min(Infinity, ...next);
  const status = findReachedThreshold((nowMs - sinceMs) / dayMs, warning, error);
  if (status === null)
    return undecidedVerdict(`${what} has been ${state} for less than ${pluralize(warning, "day")}`, againAt, facts);
  const threshold = status === "Error" ? error : warning;
  const lasting = days === 0 ? `${what} is ${state}` : `${what} has been ${state} for ${pluralize(days, "day")}`;
  return {
    status,
    message: threshold === 0 ? lasting : toThresholdMessage(lasting, status, `after ${threshold}`),
    facts,
    againAt,
  };
}

export function checkConnection(thresholds: Thresholds, offlineSinceMs: number | null, nowMs: number): Verdict {
  const words = { what: "The sensor", state: "offline", fine: "connected again" };
  return checkLasting(thresholds, offlineSinceMs, nowMs, words);
}

export type Obstruction = { sinceMs: number; code: number };

const obstructions: Record<number, Words> = {
  1: { what: "The lens", state: "covered", fine: "clear again" },
  3: { what: "The view", state: "too dark", fine: "clear again" },
  5: { what: "The view", state: "too bright", fine: "clear again" },
};
const obstructed: Words = { what: "The view", state: "obstructed", fine: "clear again" };

export function checkObstruction(thresholds: Thresholds, obstruction: Obstruction | null, nowMs: number): Verdict {
  const words = obstructions[obstruction?.code ?? 0] ?? obstructed;
  const verdict = checkLasting(thresholds, obstruction?.sinceMs ?? null, nowMs, words);
  return obstruction === null ? verdict : { ...verdict, facts: { ...verdict.facts, osd: obstruction.code } };
}
