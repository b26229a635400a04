// Enters text without locators, because waiting for a locator could advance a fake clock.

/** Enters all of `text` at once, like a single key press. */
export function typeInto(box: Element, text: string): void {
  const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  value?.set?.call(box, text);
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
