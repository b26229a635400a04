// Work that may be long waits until what was pressed shows so.

/** In a tab that is not shown nothing is painted. */
const latestMs = 100;

/** Calls once, after the next picture of the page. */
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
