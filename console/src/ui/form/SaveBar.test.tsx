// Tests that the save bar never hides the focused field.
import { useState } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { devtools } from "../../testing/pointer.ts";
import { renderInApp } from "../../testing/render.tsx";
import { SaveBar } from "./SaveBar.tsx";

const phone = [360, 740] as const;
const phoneAboveKeys = [360, 420] as const;

/** Enough fields to exceed any window. */
function Form() {
  const [texts, setTexts] = useState<Record<string, string>>({});
  const labels = Array.from({ length: 40 }, (_, n) => `Field ${n}`);
  return (
    <>
      {labels.map((label) => (
        <label key={label} style={{ display: "block", height: 44 }}>
          {label}
          <input
            value={texts[label] ?? ""}
            onChange={({ target }) => setTexts((before) => ({ ...before, [label]: target.value }))}
          />
        </label>
      ))}
      <SaveBar
        changes={Object.keys(texts)}
        saving={false}
        savedCount={0}
        onSave={() => {}}
        onDiscard={() => setTexts({})}
      />
    </>
  );
}

/** Whether a tap on the middle of the focused element would hit it. */
function isUncovered(): boolean {
  const focused = document.activeElement;
  const { left, top, width, height } = focused?.getBoundingClientRect() ?? new DOMRect();
  return focused === document.elementFromPoint(left + width / 2, top + height / 2);
}

const field = (n: number) => page.getByRole("textbox", { name: `Field ${n}`, exact: true });

test("the bar comes with the first key, and not over the field that is typed into", async () => {
  await page.viewport(...phone);
  await renderInApp(<Form />);
  const last = [...document.querySelectorAll("input")].findLast(
    (input) => input.getBoundingClientRect().bottom <= window.innerHeight,
  );
  last?.focus({ preventScroll: true });
  expect(isUncovered()).toBe(true);
  await userEvent.keyboard("n");
  await expect.element(page.getByRole("region", { name: "Unsaved changes" })).toBeVisible();
  expect(document.activeElement).toBe(last);
  expect(isUncovered()).toBe(true);
});

test("a field stays in sight when the keys of a phone take half of the window", async () => {
  await page.viewport(...phone);
  await renderInApp(<Form />);
  await field(8).fill("north");
  await page.viewport(...phoneAboveKeys);
  await expect.poll(isUncovered).toBe(true);
});

test("an error below the focused field is not hidden by the bar either", async () => {
  await page.viewport(...phone);
  await renderInApp(
    <>
      <input
        aria-label="Street"
        aria-describedby="street-error"
        style={{ marginTop: 640, display: "block", height: 32 }}
      />
      <p id="street-error">At most 200 characters</p>
      <div style={{ height: 900 }} />
      <SaveBar changes={["Street"]} saving={false} savedCount={0} onSave={() => {}} onDiscard={() => {}} />
    </>,
  );
  const street = document.querySelector("input");
  street?.focus({ preventScroll: true });
  const bottomOf = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().bottom ?? 0;
  const barTop = () => document.querySelector("[data-save-bar]")?.getBoundingClientRect().top ?? 0;
  await expect.poll(() => bottomOf("#street-error") <= barTop()).toBe(true);
});

test("Tab leads to no field under the bar", { tags: "prove" }, async () => {
  await page.viewport(...phone);
  await renderInApp(<Form />);
  await field(0).fill("north");
  for (let n = 1; n < 30; n += 1) {
    await userEvent.keyboard("{Tab}");
    await expect.element(field(n)).toHaveFocus();
    await expect.poll(isUncovered, { message: `field ${n}` }).toBe(true);
  }
});

test("what lies half under the bar is clicked where it is pressed, and comes out of it afterwards", async () => {
  await page.viewport(...phone);
  await renderInApp(<Form />);
  await field(0).fill("north");
  const bar = page.getByRole("region", { name: "Unsaved changes" });
  await expect.element(bar).toBeVisible();
  const target = field(20).element() as HTMLElement;
  let releases = 0;
  target.addEventListener("pointerup", () => (releases += 1));
  // Only the upper third of the field stays visible.
  const box = target.getBoundingClientRect();
  window.scrollBy({ top: box.top + box.height / 3 - bar.element().getBoundingClientRect().top, behavior: "instant" });
  const { left, top } = target.getBoundingClientRect();
  const { send, onScreen } = devtools();
  const mouse = (type: string) =>
    send("Input.dispatchMouseEvent", {
      type,
      ...onScreen({ x: left + 20, y: top + 3 }),
      button: "left",
      clickCount: 1,
    });
  await mouse("mousePressed");
  await expect.element(field(20)).toHaveFocus();
  // Holds the button for a few frames, as users do.
  for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame);
  await mouse("mouseReleased");
  expect(releases).toBe(1);
  await expect.poll(isUncovered).toBe(true);
});
