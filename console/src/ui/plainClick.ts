// Distinguishes navigation clicks from those that the browser handles.
import type { MouseEvent } from "react";

/** Whether a click navigates in this window, rather than opening a tab, window or menu. */
export const isPlainClick = (event: MouseEvent<HTMLElement>) =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
