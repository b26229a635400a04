// Typing without a locator: that waits, and its waiting could move a faked clock or take longer than what is measured.

/** Puts `text` into a text field at once, as one key would. */
export function typeInto(box: Element, text: string): void {
  const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  value?.set?.call(box, text);
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}
