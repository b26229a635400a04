// Prevents the loss of clicks when the layout shifts, on pages that import this file. If an error shown on blur moves the pressed
// button, the mouse is released over another element, and the browser gives the click to neither.

/** Tolerance (px) for hand movement during a press. */
const restPx = 4;
/** Elements that handle clicks on their content. */
const controls = "a, button, input, label, select, summary, textarea, tr, [role], [tabindex]";

type Press = { pointerId: number; x: number; y: number; target: Element; at: DOMRect };

const isMoved = ({ target, at }: Press): boolean => {
  const { left, top } = target.getBoundingClientRect();
  return target.isConnected && (left !== at.left || top !== at.top);
};

let press: Press | null = null;

function onPress({ pointerId, button, isPrimary, target, clientX: x, clientY: y }: PointerEvent): void {
  const isPlain = isPrimary && button === 0 && target instanceof Element;
  press = isPlain ? { pointerId, x, y, target, at: target.getBoundingClientRect() } : null;
}

function drop(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function onRelease(event: PointerEvent): void {
  const before = press;
  press = null;
  if (before === null || event.pointerId !== before.pointerId || !isMoved(before)) return;
  if (Math.hypot(event.clientX - before.x, event.clientY - before.y) > restPx) return;
  const control = before.target.closest("label") ?? before.target.closest(controls) ?? before.target;
  if (event.target instanceof Node && control.contains(event.target)) return;
  const { clientX, clientY, ctrlKey, shiftKey, altKey, metaKey } = event;
  const click = { clientX, clientY, ctrlKey, shiftKey, altKey, metaKey, bubbles: true, cancelable: true, detail: 1 };
  // The browser fires its own click first, on the common ancestor, such as the row around a button.
  document.addEventListener("click", drop, true);
  setTimeout(() => {
    document.removeEventListener("click", drop, true);
    before.target.dispatchEvent(new MouseEvent("click", click));
  });
}

// If the pressed element moved but the pointer didn't, the element gets the click. Moving the pointer away cancels the press, as
// usual.
document.addEventListener("pointerdown", onPress, true);
document.addEventListener("pointerup", onRelease, true);
document.addEventListener("pointercancel", () => (press = null), true);
