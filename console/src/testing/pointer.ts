// The pointer of a test: where the test before left it, it would hover what is rendered there next.
import { cdp, userEvent } from "vitest/browser";

type Point = { x: number; y: number };

/** Takes the pointer into the corner, away from everything that says more when it is hovered. */
export function restPointer(): Promise<void> {
  return userEvent.hover(document.documentElement, { position: { x: 0, y: 0 }, force: true });
}

/** The browser's own mouse and finger, which know the screen and not the frame that tests are drawn in. */
export function devtools() {
  const session = cdp() as unknown as { send: (method: string, params: object) => Promise<unknown> };
  const frame = window.frameElement?.getBoundingClientRect() ?? new DOMRect();
  const scale = frame.width === 0 ? 1 : frame.width / window.innerWidth;
  return {
    send: (method: string, params: object) => session.send(method, params),
    onScreen: ({ x, y }: Point): Point => ({ x: frame.left + x * scale, y: frame.top + y * scale }),
  };
}
