// Keeps the screen on, if the browser supports that.
import { useEffect } from "react";

export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isGone = false;
    const ask = async () => {
      if (document.visibilityState !== "visible") return;
      try {
        // The browser releases the lock whenever the page is hidden.
        const next = await navigator.wakeLock.request("screen");
        if (isGone) await next.release();
        else lock = next;
      } catch {
        // The lock isn't available, e.g. on low battery.
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
