// Tracks a change that may have cut the connection, until the sensor has confirmed or reverted it.
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useEffect, useState } from "react";

/** `endsAt` in ms of the page's monotonic clock. */
type Applying = { rev: number; endsAt: number };
export type ChangeOutcome = NonNullable<ServedSection["lastChange"]>["outcome"];

/** Longest countdown for a pending change, in case the sensor's clock is wrong. */
const longestS = 60;
/** Time in which a sensor must reconnect after reverting a change. Afterwards, it counts as disconnected. */
const marginMs = 10_000;
const endIn = (seconds: number) => performance.now() + Math.min(Math.max(seconds, 0), longestS) * 1000;

/** Next state after a response: the same change, another change, or the outcome. Null if no change is pending. */
function follow(applying: Applying | null, answer: ServedSection): Applying | ChangeOutcome | null {
  const { pending, lastChange, rev, source } = answer;
  // Stored values don't tell whether the change is still pending.
  if (source === "stored") return applying;
  if (pending !== undefined && pending !== null) {
    if (applying?.rev === pending.rev) return applying;
    return { rev: pending.rev, endsAt: endIn((pending.until - Date.now()) / 1000) };
  }
  if (applying === null) return null;
  if (lastChange?.rev === applying.rev) return lastChange.outcome;
  if (performance.now() < applying.endsAt) return applying;
  return rev === applying.rev ? "confirmed" : "rolledBack";
}

export function usePendingChange(answer: ServedSection | undefined) {
  const [applying, setApplying] = useState<Applying | null>(null);
  const [outcome, setOutcome] = useState<ChangeOutcome | null>(null);
  // Each response is evaluated only once, so that a response from before a change isn't taken for its outcome.
  const [seen, setSeen] = useState<ServedSection>();
  if (answer !== undefined && answer !== seen) {
    setSeen(answer);
    const next = follow(applying, answer);
    if (typeof next === "string") {
      setApplying(null);
      setOutcome(next);
    } else if (next !== applying) {
      setApplying(next);
      setOutcome(null);
    }
  }
  const isOver = useIsOver(applying);
  return {
    /** Null if the sensor is still away after the deadline. The outcome is shown when the sensor is back. */
    applying: isOver && answer?.source === "stored" ? null : applying,
    outcome,
    begin(rev: number, withinS = longestS) {
      setOutcome(null);
      setApplying({ rev, endsAt: endIn(withinS) });
    },
    forget: () => setOutcome(null),
  };
}

function useIsOver(applying: Applying | null): boolean {
  const [over, setOver] = useState<Applying | null>(null);
  useEffect(() => {
    if (applying === null) return;
    const timer = setTimeout(() => setOver(applying), applying.endsAt + marginMs - performance.now());
    return () => clearTimeout(timer);
  }, [applying]);
  return applying !== null && over === applying;
}

export function useSecondsLeft(endsAt: number | null): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (endsAt === null) return;
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      const at = performance.now();
      setNow(at);
      if (at < endsAt) timer = setTimeout(tick, (endsAt - at) % 1000 || 1000);
    };
    tick();
    return () => clearTimeout(timer);
  }, [endsAt]);
  return endsAt === null ? 0 : Math.max(0, Math.ceil((endsAt - now) / 1000));
}
