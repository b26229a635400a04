// The present answer to a live view's question, asked again while the page is looked at (device pages, Previews).
import { type PreviewKind, previewsOf } from "@psp/contract/section/sections.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useCallback, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from "react";
import { isOutOfReach } from "../sensor/sensor.rpc.ts";
import { type Poll, pollOf } from "./poll.ts";
import { askPreview, isReachable, type PreviewOf, sentenceOf } from "./preview.queries.ts";

/** Without a touch for so long it is paused. */
const untouchedMs = 10 * 60_000;
/** From its arrival on, an answer is current for so long. */
const freshMs = 10_000;

export type Preview<T> = {
  /** Null until the first one, and while the sensor is not reachable: what was seen before must not be seen any more. */
  answer: T | null;
  isOld: boolean;
  /** Why the last question was not answered. */
  problem: string | null;
  isPaused: boolean;
  resume: () => void;
};

type Known<T> = Pick<Preview<T>, "answer" | "problem">;
const nothing = { answer: null, problem: null };

export function usePreview<K extends PreviewKind>(sensor: Sensor, kind: K): Preview<PreviewOf<K>> {
  const { _id: id, type } = sensor;
  const reachable = isReachable(sensor);
  const everyMs = previewsOf[type].find((page) => page.kind === kind)?.everyMs;
  const isSeen = useIsSeen();
  const { isPaused, resume } = useUntouched();
  const [known, setKnown] = useState<Known<PreviewOf<K>>>(nothing);
  const poll = useRef<Poll | null>(null);
  const isWanted = reachable && isSeen && !isPaused;
  const wantNow = useEffectEvent(() => isWanted);
  useEffect(() => {
    if (!reachable || everyMs === undefined) return;
    const begun = pollOf(everyMs, async (signal) => {
      const next = await askPreview(id, kind, signal).then(
        (answer) => () => ({ answer, problem: null }),
        (error: unknown) => (before: Known<PreviewOf<K>>) => ({
          answer: isOutOfReach(error) ? null : before.answer,
          problem: sentenceOf(error),
        }),
      );
      if (!signal.aborted) setKnown(next);
    });
    poll.current = begun;
    begun.want(wantNow());
    return () => {
      begun.end();
      setKnown(nothing);
    };
  }, [reachable, everyMs, id, kind]);
  useEffect(() => poll.current?.want(isWanted), [isWanted]);
  const isOld = useIsOld(known.answer);
  return { ...(reachable ? known : nothing), isOld, isPaused, resume };
}

/** Is the browser's tab the one that is looked at? */
function useIsSeen(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      document.addEventListener("visibilitychange", onChange);
      return () => document.removeEventListener("visibilitychange", onChange);
    },
    () => document.visibilityState === "visible",
  );
}

const touches = ["pointermove", "pointerdown", "keydown", "wheel", "scroll"] as const;

/** Paused once no pointer was moved, no key pressed and nothing scrolled for long. */
function useUntouched(): { isPaused: boolean; resume: () => void } {
  const [isPaused, setPaused] = useState(false);
  useEffect(() => {
    if (isPaused) return;
    let timer: ReturnType<typeof setTimeout>;
    const onTouch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setPaused(true), untouchedMs);
    };
    onTouch();
    const options = { capture: true, passive: true };
    for (const touch of touches) window.addEventListener(touch, onTouch, options);
    return () => {
      clearTimeout(timer);
      for (const touch of touches) window.removeEventListener(touch, onTouch, options);
    };
  }, [isPaused]);
  return { isPaused, resume: useCallback(() => setPaused(false), []) };
}

/** Whether this answer arrived a while ago and no other one has since. */
function useIsOld(answer: unknown): boolean {
  const [old, setOld] = useState<unknown>(null);
  useEffect(() => {
    if (answer === null) return;
    const timer = setTimeout(() => setOld(answer), freshMs);
    return () => clearTimeout(timer);
  }, [answer]);
  return answer !== null && old === answer;
}
