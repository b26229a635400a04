// A change that may have cut the connection: how long the sensor still waits for its confirmation, and what became of it.
import type { ServedSection } from "@psp/contract/section/wire.ts";
import { useEffect, useState } from "react";

/** `endsAt` by the page's own clock, which no one sets. */
type Applying = { rev: number; endsAt: number };
export type Outcome = NonNullable<ServedSection["lastChange"]>["outcome"];

/** No sensor waits longer, so that one with a wrong clock shows no hours. */
const longestS = 60;
/** After its time a sensor that went back may need this long to be reached. One that is away longer is just away. */
const marginMs = 10_000;
const endIn = (seconds: number) => performance.now() + Math.min(Math.max(seconds, 0), longestS) * 1000;

/** What the answer says of a change under way: the same, another one, or its end. */
function follow(applying: Applying | null, answer: ServedSection): Applying | Outcome | null {
  const { pending, lastChange, rev, source } = answer;
  // What was stored is of some other time: the change may be over since, or not yet begun.
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

export function useApplying(answer: ServedSection | undefined) {
  const [applying, setApplying] = useState<Applying | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  // Each answer is looked at once: one of before the change knows nothing of it.
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
    /** Null once a sensor stays away: what became of the change is said when it is back. */
    applying: isOver && answer?.source === "stored" ? null : applying,
    outcome,
    /** A change was sent that the sensor waits to be confirmed. */
    begin(rev: number, withinS = longestS) {
      setOutcome(null);
      setApplying({ rev, endsAt: endIn(withinS) });
    },
    /** Something else was saved, or the news was seen. */
    forget: () => setOutcome(null),
  };
}

/** Whether the time of the change is up, with the margin. */
function useIsOver(applying: Applying | null): boolean {
  const [over, setOver] = useState<Applying | null>(null);
  useEffect(() => {
    if (applying === null) return;
    const timer = setTimeout(() => setOver(applying), applying.endsAt + marginMs - performance.now());
    return () => clearTimeout(timer);
  }, [applying]);
  return applying !== null && over === applying;
}

/** Whole seconds until then, counted down. */
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
