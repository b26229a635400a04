// Opens a sensor's configuration page in a window of its own after a few seconds, once for each connection of the sensor (ADR 0026).
import { useEffect, useEffectEvent, useState } from "react";

/** Length of the countdown, which the user can cancel. */
export const openingSeconds = 5;

/** Connections whose page was opened, or was not wanted: who comes back to the tab is not given another window. */
const done = new Set<string>();

/** False when the browser does not let it. The new page can't reach ours: devices are not trusted (T-17). */
function openApart(link: string): boolean {
  // The feature "noopener" would do the same, but then nothing says whether a window was opened at all.
  const apart = window.open("about:blank", "_blank");
  if (apart === null) return false;
  apart.opener = null;
  apart.location.replace(link);
  return true;
}

type Known = { connection: string; left: number; outcome: "opened" | "blocked" | null };

/** `connection` names the connection that the link leads over; `onEnd` is called before the countdown leaves the screen. */
export function useOpening(link: string | null, connection: string, onEnd: () => void) {
  /** Of the connection that it names alone: another one begins at five again. */
  const [known, setKnown] = useState<Known | null>(null);
  const mine = known?.connection === connection ? known : null;
  const end = (outcome: Known["outcome"]) => {
    done.add(connection);
    onEnd();
    setKnown({ connection, left: 0, outcome });
  };
  const onTick = useEffectEvent((left: number) => {
    if (link === null || done.has(connection)) return;
    if (left > 0) setKnown({ connection, left, outcome: null });
    else end(openApart(link) ? "opened" : "blocked");
  });
  useEffect(() => {
    if (link === null || done.has(connection)) return undefined;
    let left = openingSeconds;
    const timer = setInterval(() => {
      left -= 1;
      if (left === 0) clearInterval(timer);
      onTick(left);
    }, 1000);
    return () => clearInterval(timer);
  }, [link, connection]);
  const isWaiting = link !== null && !done.has(connection);
  return {
    /** Seconds until it opens; null when it will not, or has. */
    left: isWaiting ? (mine?.left ?? openingSeconds) : null,
    outcome: link === null ? null : (mine?.outcome ?? null),
    cancel: () => end(null),
  };
}
