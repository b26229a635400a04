// Disabled controls explain themselves to mouse, keyboard and screen readers, and do nothing.
import Button from "@mui/material/Button";
import Switch from "@mui/material/Switch";
import FormControlLabel from "@mui/material/FormControlLabel";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { advanceTime } from "../../testing/time.ts";
import { Disabled } from "./Disabled.tsx";

test("the reason is reachable by keyboard and the button stays without effect", async () => {
  let clicks = 0;
  await renderInApp(
    <Disabled reason="Enable the VPN option on your sensor to activate this option">
      <Button onClick={() => (clicks += 1)}>VPN</Button>
    </Disabled>,
  );
  const button = page.getByRole("button", { name: "VPN" });
  await expect.element(button).toHaveAttribute("aria-disabled", "true");
  await expect
    .element(button)
    .toHaveAccessibleDescription("Enable the VPN option on your sensor to activate this option");
  await userEvent.tab();
  await expect.element(button).toHaveFocus();
  await expect.element(page.getByRole("tooltip")).toMatchTextContent("Enable the VPN option");
  await userEvent.keyboard("{Enter} ");
  await button.click({ force: true });
  expect(clicks).toBe(0);
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("tooltip")).not.toBeInTheDocument();
});

test("Escape closes the reason for good, though the pointer has come a moment before", async () => {
  await renderInApp(
    <Disabled reason="There is no registration code yet">
      <Button>Show code</Button>
    </Disabled>,
  );
  await userEvent.tab();
  await expect.element(page.getByRole("tooltip")).toBeVisible();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const over = new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" });
  page.getByRole("button", { name: "Show code" }).element().dispatchEvent(over);
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await advanceTime(2000);
  expect(page.getByRole("tooltip").elements()).toEqual([]);
});

test("hovering tells the reason", { tags: "prove" }, async () => {
  await renderInApp(
    <Disabled reason="There is no registration code yet">
      <Button>Show code</Button>
    </Disabled>,
  );
  await page.getByRole("button", { name: "Show code" }).hover();
  await expect.element(page.getByRole("tooltip")).toMatchTextContent("There is no registration code yet");
});

test("hovering tells the reason also to a pointer that comes from where an element was that is gone", async () => {
  await renderInApp(
    <>
      <p>Loading</p>
      <Disabled reason="There is no registration code yet">
        <Button>Show code</Button>
      </Disabled>
    </>,
  );
  // Browsers fire no leave event for a removed element.
  const relatedTarget = page.getByText("Loading").element();
  const over = new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse", relatedTarget });
  page.getByRole("button", { name: "Show code" }).element().dispatchEvent(over);
  await expect.element(page.getByRole("tooltip")).toMatchTextContent("There is no registration code yet");
});

test("without a reason the child works as usual", async () => {
  let clicks = 0;
  await renderInApp(
    <Disabled reason={undefined}>
      <Button onClick={() => (clicks += 1)}>Save</Button>
    </Disabled>,
  );
  const button = page.getByRole("button", { name: "Save" });
  await button.click();
  expect(clicks).toBe(1);
  await expect.element(button).not.toHaveAttribute("aria-disabled");
});

test("a switch that is off by rule keeps its value and its label", async () => {
  let changes = 0;
  await renderInApp(
    <FormControlLabel
      label="Re-registration"
      control={
        <Disabled kind="input" reason="There is no registration code yet">
          <Switch checked={false} onChange={() => (changes += 1)} />
        </Disabled>
      }
    />,
  );
  const control = page.getByRole("switch", { name: "Re-registration" });
  await userEvent.tab();
  await expect.element(control).toHaveFocus();
  await expect.element(page.getByRole("tooltip")).toMatchTextContent("There is no registration code yet");
  await userEvent.keyboard(" ");
  await page.getByText("Re-registration").click({ force: true });
  await expect.element(control).not.toBeChecked();
  expect(changes).toBe(0);
});
