// Tests presses during which the layout shifts.
import { useState } from "react";
import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { devtools } from "../../testing/pointer.ts";
import { renderInApp } from "../../testing/render.tsx";
import "./steadyPress.ts";

const done: string[] = [];

/** A field that shows an error on blur, above a button and a switch. */
function Form({ moves = true, by = 60 }) {
  const [left, setLeft] = useState(false);
  return (
    <div style={{ paddingTop: 100 }}>
      <input aria-label="Number" onBlur={() => setLeft(true)} />
      {left && moves ? <p style={{ height: by, margin: 0, overflow: "hidden" }}>A number is required.</p> : null}
      <div style={{ padding: 30 }} onClick={() => done.push("row")}>
        <button style={{ height: 30 }} onClick={() => done.push("saved")}>
          Save
        </button>
      </div>
      <label style={{ display: "block", padding: 30 }}>
        <input type="checkbox" style={{ height: 20, width: 20 }} onChange={() => done.push("switched")} />
        On
      </label>
    </div>
  );
}

beforeEach(() => void (done.length = 0));

/** Presses the control's center with the mouse, and releases it `away` px from there. */
async function press(name: "Save" | "On", away = 0): Promise<void> {
  await page.getByRole("textbox", { name: "Number" }).click();
  const { send, onScreen } = devtools();
  const target = name === "Save" ? page.getByRole("button", { name }) : page.getByRole("checkbox", { name });
  const { left, top, width, height } = target.element().getBoundingClientRect();
  const mouse = (type: string, x = 0) => {
    const point = onScreen({ x: left + width / 2 + x, y: top + height / 2 });
    return send("Input.dispatchMouseEvent", { type, ...point, button: "left", buttons: 1, clickCount: 1 });
  };
  await mouse("mousePressed");
  for (let n = 0; n < 3; n += 1) await new Promise(requestAnimationFrame);
  if (away > 0) await mouse("mouseMoved", away);
  await mouse("mouseReleased", away);
  // A delayed click would have fired by now.
  await new Promise((go) => setTimeout(go));
  await new Promise((go) => setTimeout(go));
}

test.each(["Save", "On"] as const)(
  "%s gets its click though the field above grew while it was pressed",
  async (name) => {
    await renderInApp(<Form />);
    await press(name);
    await expect.element(page.getByText("A number is required.")).toBeVisible();
    expect(done).toEqual(name === "Save" ? ["saved", "row"] : ["switched"]);
  },
);

test.each(["Save", "On"] as const)("%s gets it once where the release is still in what surrounds it", async (name) => {
  await renderInApp(<Form by={25} />);
  await press(name);
  expect(done).toEqual(name === "Save" ? ["saved", "row"] : ["switched"]);
});

test("where nothing moves there is one click, the browser's own", async () => {
  await renderInApp(<Form moves={false} />);
  await press("Save");
  expect(done).toEqual(["saved", "row"]);
});

test.each([true, false])("a pointer that is drawn away takes the press back; page moved: %s", async (moves) => {
  await renderInApp(<Form moves={moves} />);
  await press("Save", 200);
  expect(done).not.toContain("saved");
});
