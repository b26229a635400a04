// Opens a sensor's device page in a new window after a countdown, once per VPN connection (ADR 0026).
import { useEffect, useEffectEvent, useState } from "react";

export const countdownSeconds = 5;

/** Connections whose page was opened or declined, so that returning to the tab doesn't open it again. */
const done = new Set<string>();

/**
 * Opens a new window that can't access the console's window, because devices are not trusted (T-17). Returns false if the browser
 * blocked the new window.
 */
function openApart(link: string): boolean {
  // "noopener" would do the same, but hides whether the window was blocked.
  const apart = window.open("about:blank", "_blank");
  if (apart === null) return false;
  apart.opener = null;
  apart.location.replace(link);
  return true;
}

type Known = { connection: string; left: number; outcome: "opened" | "blocked" | null };

/** `connection` identifies the VPN connection. `onEnd` is called before the countdown disappears. */
export function useOpening(link: string | null, connection: string, onEnd: () => void) {
  /** State of the last connection. A new connection restarts the countdown. */
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
    let left = countdownSeconds;
    const timer = setInterval(() => {
      left -= 1;
      if (left === 0) clearInterval(timer);
      onTick(left);
    }, 1000);
    return () => clearInterval(timer);
  }, [link, connection]);
  const isWaiting = link !== null && !done.has(connection);
  return {
    left: isWaiting ? (mine?.left ?? countdownSeconds) : null,
    outcome: link === null ? null : (mine?.outcome ?? null),
    cancel: () => end(null),
  };
}
