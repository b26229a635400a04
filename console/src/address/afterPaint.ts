// Defers expensive work until the browser has painted.

/** Fallback for hidden tabs, which don't paint. */
const latestMs = 100;

export function afterPaint(run: () => void): void {
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    run();
  };
  setTimeout(once, latestMs);
  requestAnimationFrame(() => setTimeout(once));
}
