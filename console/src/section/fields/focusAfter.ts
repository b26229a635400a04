// The focus goes on in the turn of the press that asks for it: a frame later it could take the focus from what was pressed since, or
// scroll it away from under the pointer.
import { flushSync } from "react-dom";

/** Makes the change, and puts the focus on the element with this id, which it may have made. */
export function focusAfter(change: () => void, id: string): void {
  flushSync(change);
  document.getElementById(id)?.focus();
}

/** The same for a change that may take away what has the focus: where it does not, the focus stays. */
export function focusIfLost(change: () => void, id: string): void {
  const held = document.activeElement;
  flushSync(change);
  if (held?.isConnected === false) document.getElementById(id)?.focus();
}
