// Tells a click that means "go there, here" from those that are the browser's matter.
import type { MouseEvent } from "react";

/** Meant to go there in this window: everything else opens a tab, a window or a menu. */
export const isPlainClick = (event: MouseEvent<HTMLElement>) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
