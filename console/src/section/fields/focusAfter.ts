// Moves the focus synchronously, because moving it a frame later could interrupt the user's next action, or scroll the page.
import { flushSync } from "react-dom";

/** Applies the change, then focuses the element with this id. */
export function focusAfter(change: () => void, id: string): void {
  flushSync(change);
  document.getElementById(id)?.focus();
}

/** Like `focusAfter`, but only if the change removed the focused element. */
export function focusIfLost(change: () => void, id: string): void {
  const held = document.activeElement;
  flushSync(change);
  if (held?.isConnected === false) document.getElementById(id)?.focus();
}
