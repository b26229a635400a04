// Polls a live view while the page is visible and the user is active.
import { type PreviewKind, previewsOf } from "@psp/contract/section/sections.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useCallback, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from "react";
import { isSensorUnreachable } from "../sensor/sensor.rpc.ts";
import { type Poll, createPoll } from "./poll.ts";
import { requestPreview, isReachable, type PreviewOf, failureMessage } from "./preview.queries.ts";

/** Polling pauses after this time without user input. */
const untouchedMs = 10 * 60_000;
/** A response older than this is outdated. */
const freshMs = 10_000;

export type Preview<T> = {
  /** Null before the first response and while the sensor is unreachable, because outdated data must not be shown. */
  answer: T | null;
  isOld: boolean;
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
  const isActive = reachable && isSeen && !isPaused;
  const isActiveNow = useEffectEvent(() => isActive);
  useEffect(() => {
    if (!reachable || everyMs === undefined) return;
    const begun = createPoll(everyMs, async (signal) => {
      const next = await requestPreview(id, kind, signal).then(
        (answer) => () => ({ answer, problem: null }),
        (error: unknown) => (before: Known<PreviewOf<K>>) => ({
          answer: isSensorUnreachable(error) ? null : before.answer,
          problem: failureMessage(error),
        }),
      );
      if (!signal.aborted) setKnown(next);
    });
    poll.current = begun;
    begun.setActive(isActiveNow());
    return () => {
      begun.end();
      setKnown(nothing);
    };
  }, [reachable, everyMs, id, kind]);
  useEffect(() => poll.current?.setActive(isActive), [isActive]);
  const isOld = useIsOld(known.answer);
  return { ...(reachable ? known : nothing), isOld, isPaused, resume };
}

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

function useIsOld(answer: unknown): boolean {
  const [old, setOld] = useState<unknown>(null);
  useEffect(() => {
    if (answer === null) return;
    const timer = setTimeout(() => setOld(answer), freshMs);
    return () => clearTimeout(timer);
  }, [answer]);
  return answer !== null && old === answer;
}
