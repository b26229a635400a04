// Tests status dots, times, copy buttons, page headers, and the guard against losing input.
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../testing/render.tsx";
import { waitForAppearance } from "../testing/shown.ts";
import { DiscardDialog } from "./form/ConfirmDialog.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { useDirtyGuard } from "./form/DirtyGuard.ts";
import { EmptyState } from "./feedback/EmptyState.tsx";
import { PageHeader } from "./PageHeader.tsx";
import { RelativeTime, formatExactTime, formatRelativeTime } from "./time/RelativeTime.tsx";
import { SpeedDial } from "./SpeedDial.tsx";
import { StatusDot } from "./feedback/StatusDot.tsx";

const minute = 60_000;

test.each([
  [0, "just now"],
  [-44_000, "just now"],
  [-minute, "1 minute ago"],
  [-59 * minute, "59 minutes ago"],
  [-60 * minute, "1 hour ago"],
  [-26 * 60 * minute, "1 day ago"],
  [-40 * 24 * 60 * minute, "1 month ago"],
  [-800 * 24 * 60 * minute, "2 years ago"],
  [5 * minute, "in 5 minutes"],
])("a time %i ms away reads %s", (distance, words) => {
  const now = Date.UTC(2026, 10, 20, 12);
  expect(formatRelativeTime(now + distance, now)).toBe(words);
});

test("the exact time is given in the requested zone, with the zone's name", () => {
  const at = Date.UTC(2026, 5, 1, 22, 30, 5);
  expect(formatExactTime(at, "Asia/Kathmandu")).toBe("02 Jun 2026, 04:15:05 GMT+5:45");
  expect(formatExactTime(at, "Europe/Berlin")).toMatch(/^02 Jun 2026, 00:30:05 /);
});

test("hovering a relative time shows the exact one", { tags: "prove" }, async () => {
  await renderInApp(<RelativeTime value="2020-01-02T03:04:05Z" timeZone="UTC" prefix="Connected since" />);
  const time = page.getByText(/years ago/);
  await expect.element(time).toHaveAttribute("datetime", "2020-01-02T03:04:05.000Z");
  await time.hover();
  await expect.element(page.getByRole("tooltip")).toMatchTextContent("Connected since 02 Jan 2020, 03:04:05 UTC");
});

test("no time reads -", async () => {
  await renderInApp(<p>{<RelativeTime value={null} />}</p>);
  await expect.element(page.getByText("-", { exact: true })).toBeVisible();
});

test("a state is a word beside the shape, or the shape's name when alone", async () => {
  await renderInApp(
    <>
      <StatusDot tone="good" label="Online" />
      <StatusDot tone="bad" label="Error" iconOnly />
    </>,
  );
  await expect.element(page.getByText("Online")).toBeVisible();
  await expect.element(page.getByRole("img", { name: "Error" })).toBeVisible();
});

test("copying puts the text on the clipboard and says so", async () => {
  const written: string[] = [];
  vi.spyOn(navigator.clipboard, "writeText").mockImplementation(async (text) => void written.push(text));
  await renderInApp(<CopyButton value="ps_secret" label="Copy token Entrance" />);
  const shown = waitForAppearance(page.getByRole("status").filter({ hasText: "Copied" }));
  await page.getByRole("button", { name: "Copy token Entrance" }).click();
  await shown;
  expect(written).toEqual(["ps_secret"]);
});

test("the page's main action stands at the top on a desk and floats on a phone", async () => {
  let clicks = 0;
  const element = <PageHeader title="Roles" primary={{ label: "Create role", onClick: () => (clicks += 1) }} />;
  const view = await renderInApp(element);
  await expect.element(page.getByRole("heading", { level: 1, name: "Roles" })).toBeVisible();
  await page.getByRole("button", { name: "Create role" }).click();
  await page.viewport(360, 740);
  await view.rerender(element);
  await expect
    .poll(() => page.getByRole("button", { name: "Create role" }).element().getBoundingClientRect().top)
    .toBeGreaterThan(600);
  await page.getByRole("button", { name: "Create role" }).click();
  expect(clicks).toBe(2);
});

test.each([
  [1280, 800],
  [360, 740],
])("the speed dial offers its ways at %i px", async (width, height) => {
  await page.viewport(width, height);
  const calls: string[] = [];
  await renderInApp(
    <SpeedDial
      label="Add account"
      items={[
        { label: "Import accounts from csv", icon: <span />, onClick: () => calls.push("import") },
        { label: "Create account manually", icon: <span />, onClick: () => calls.push("create") },
      ]}
    />,
  );
  await page.getByRole("button", { name: "Add account" }).click();
  await page.getByRole("menuitem", { name: "Create account manually" }).click();
  expect(calls).toEqual(["create"]);
});

test("an empty screen has one next step", async () => {
  let clicks = 0;
  await renderInApp(
    <EmptyState
      kind="noMatch"
      title="No roles found"
      action={{ label: "Show all roles", onClick: () => (clicks += 1) }}
    />,
  );
  await page.getByRole("button", { name: "Show all roles" }).click();
  expect(clicks).toBe(1);
});

function Guarded({ left }: { left: string[] }) {
  const [dirty, setDirty] = useState(false);
  const guard = useDirtyGuard(dirty);
  return (
    <>
      <button onClick={() => setDirty(true)}>Type</button>
      <button onClick={() => guard.guard(() => left.push("left"))}>Leave</button>
      <DiscardDialog open={guard.asking} onStay={guard.stay} onDiscard={guard.leave} />
    </>
  );
}

test("leaving asks only when something is unsaved, also the browser", { tags: "prove" }, async () => {
  const left: string[] = [];
  await renderInApp(<Guarded left={left} />);
  const asksBrowser = () => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect(asksBrowser()).toBe(false);
  await page.getByRole("button", { name: "Leave" }).click();
  expect(left).toEqual(["left"]);
  await page.getByRole("button", { name: "Type" }).click();
  expect(asksBrowser()).toBe(true);
  await page.getByRole("button", { name: "Leave" }).click();
  await expect.element(page.getByRole("alertdialog", { name: "Discard changes?" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("alertdialog")).not.toBeInTheDocument();
  expect(left).toEqual(["left"]);
  await page.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(left).toEqual(["left", "left"]);
});
