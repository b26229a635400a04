// Checks about what lasts: a sensor out of contact, a view obstructed, for so many times 24 hours (decisions 8).
import { dayMs } from "../../count/zone.rules.ts";
import { fromWord, ok, reached, several, undecided, type Verdict } from "./verdict.rules.ts";

type Thresholds = { warningThreshold: number; errorThreshold: number };

type Words = { what: string; fine: string };

/** `sinceMs` null: it does not last at the moment. A threshold of 0 days is reached at once. */
function checkLasting(thresholds: Thresholds, sinceMs: number | null, nowMs: number, words: Words): Verdict {
  if (sinceMs === null) return ok(words.fine);
  const { warningThreshold: warning, errorThreshold: error } = thresholds;
  const facts = { since: new Date(sinceMs).toISOString() };
  const days = Math.max(0, Math.floor((nowMs - sinceMs) / dayMs));
  const next = [warning, error].map((n) => sinceMs + n * dayMs).filter((at) => at > nowMs);
  const againAt = Math.min(Infinity, ...next);
  const status = reached((nowMs - sinceMs) / dayMs, warning, error);
  if (status === null) return undecided(`${words.what} for less than ${several(warning, "day")}`, againAt, facts);
  const threshold = status === "Error" ? error : warning;
  const lasting = days === 0 ? words.what : `${words.what} for ${several(days, "day")}`;
  const from = threshold === 0 ? "at once" : `from ${threshold}`;
  return { status, message: `${lasting}, ${fromWord[status]} ${from}`, facts, againAt };
}

export function checkConnection(thresholds: Thresholds, offlineSinceMs: number | null, nowMs: number): Verdict {
  return checkLasting(thresholds, offlineSinceMs, nowMs, { what: "Offline", fine: "In contact" });
}

export type Obstruction = { sinceMs: number; code: number };

const obstructions: Record<number, string> = { 1: "View covered", 3: "View too dark", 5: "View too bright" };

export function checkObstruction(thresholds: Thresholds, obstruction: Obstruction | null, nowMs: number): Verdict {
  const what = obstructions[obstruction?.code ?? 0] ?? "View obstructed";
  const verdict = checkLasting(thresholds, obstruction?.sinceMs ?? null, nowMs, { what, fine: "The view is clear" });
  return obstruction === null ? verdict : { ...verdict, facts: { ...verdict.facts, osd: obstruction.code } };
}
