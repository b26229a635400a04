// Moves the pointer away between tests, so that it doesn't hover over the content of the next test.
import { cdp, userEvent } from "vitest/browser";

type Point = { x: number; y: number };

export function resetPointer(): Promise<void> {
  return userEvent.hover(document.documentElement, { position: { x: 0, y: 0 }, force: true });
}

/** Sends native mouse and touch input. Coordinates are those of the screen, not of the test frame. */
export function devtools() {
  const session = cdp() as unknown as { send: (method: string, params: object) => Promise<unknown> };
  const frame = window.frameElement?.getBoundingClientRect() ?? new DOMRect();
  const scale = frame.width === 0 ? 1 : frame.width / window.innerWidth;
  return {
    send: (method: string, params: object) => session.send(method, params),
    onScreen: ({ x, y }: Point): Point => ({ x: frame.left + x * scale, y: frame.top + y * scale }),
  };
}
