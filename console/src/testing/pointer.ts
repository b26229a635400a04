// The pointer of a test: where the test before left it, it would hover what is rendered there next.
import { userEvent } from "vitest/browser";

/** Takes the pointer into the corner, away from everything that says more when it is hovered. */
export function restPointer(): Promise<void> {
  return userEvent.hover(document.documentElement, { position: { x: 0, y: 0 }, force: true });
}
