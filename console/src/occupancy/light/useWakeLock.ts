// Keeps the screen on while a page is shown, where the browser can do that.
import { useEffect } from "react";

export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | null = null;
    let isGone = false;
    const ask = async () => {
      if (document.visibilityState !== "visible") return;
      try {
        // The browser takes it back whenever the page is hidden.
        const next = await navigator.wakeLock.request("screen");
        if (isGone) await next.release();
        else lock = next;
      } catch {
        // There is none, or the battery is low: the screen goes dark as it is set to.
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
