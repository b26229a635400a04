// Tests typing into the palette while its chunk loads.
import { expect, test } from "vitest";
import { renderInApp } from "../../testing/render.tsx";
import { useShortcuts } from "./useShortcuts.ts";

test("who types on at once after Ctrl and K loses no letter", async () => {
  let early = () => "";
  function Listening() {
    const shortcuts = useShortcuts(true);
    early = shortcuts.typedEarly;
    return <output>{shortcuts.open ?? "closed"}</output>;
  }
  const screen = await renderInApp(<Listening />);
  const press = (key: string, more: KeyboardEventInit = {}) =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
  press("x");
  press("k", { ctrlKey: true });
  await expect.element(screen.getByText("palette")).toBeVisible();
  for (const key of ["r", "o", "Shift", "l"]) press(key);
  press("a", { ctrlKey: true });
  expect(early()).toBe("rol");
});
