// Keeps the screen on, if supported.
import { useEffect } from "react";

export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isGone = false;
    const ask = async () => {
      if (document.visibilityState !== "visible") return;
      try {
        // The browser releases it when the page is hidden.
        const next = await navigator.wakeLock.request("screen");
        if (isGone) await next.release();
        else lock = next;
      } catch {
        // Not available, e.g. on low battery.
      }
    };
    const onVisible = () => void ask();
    void ask();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      isGone = true;
      document.removeEventListener("visibilitychange", onVisible);
      void lock?.release().catch(() => undefined);
    };
  }, []);
}
