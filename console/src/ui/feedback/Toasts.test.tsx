// Tests that failures are announced and stay until closed, while successes disappear by themselves.
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { visibleDuration } from "../../testing/shown.ts";
import { testTimerOptions, advanceTime } from "../../testing/time.ts";
import { useToasts, type ErrorToast } from "./Toasts.tsx";

function Trigger({ toast }: { toast: ErrorToast }) {
  const toasts = useToasts();
  const [dialog, setDialog] = useState(false);
  return (
    <>
      <Button onClick={() => toasts.error(toast)}>Fail</Button>
      <Button onClick={() => toasts.success("Saved")}>Succeed</Button>
      <Button onClick={() => setDialog(true)}>Open dialog</Button>
      <Dialog open={dialog}>A dialog</Dialog>
    </>
  );
}

const failure: ErrorToast = { title: "Failed to update sensor.", text: "Name is already used" };

test("a failure shows title, the server's text and its own Close, and stays until that is used", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ["setTimeout", "clearTimeout"] });
  await renderInApp(<Trigger toast={failure} />);
  await page.getByRole("button", { name: "Fail" }).click();
  const alert = page.getByRole("alert");
  await expect.element(alert).toMatchTextContent("Failed to update sensor.");
  await expect.element(alert).toMatchTextContent("Name is already used");
  await vi.advanceTimersByTimeAsync(3_600_000);
  await expect.element(alert).toBeVisible();
  await alert.getByRole("button", { name: "Close" }).click();
  await expect.element(alert).not.toBeInTheDocument();
});

test("the same failure twice is one message", async () => {
  await renderInApp(<Trigger toast={failure} />);
  await page.getByRole("button", { name: "Fail" }).click();
  await page.getByRole("button", { name: "Fail" }).click();
  await expect.element(page.getByRole("alert")).toBeVisible();
  expect(page.getByRole("alert").elements()).toHaveLength(1);
});

test("a success is a status that leaves after four seconds", async () => {
  await renderInApp(<Trigger toast={failure} />);
  vi.useFakeTimers(testTimerOptions);
  const shown = visibleDuration("Saved");
  (page.getByRole("button", { name: "Succeed" }).element() as HTMLElement).click();
  await expect.element(page.getByRole("status").filter({ hasText: "Saved" })).toBeVisible();
  expect(page.getByRole("alert").elements()).toHaveLength(0);
  await advanceTime(5000);
  expect(await shown).toBeGreaterThan(3700);
  expect(await shown).toBeLessThan(4300);
});

test("the action closes the message and runs", async () => {
  const done: string[] = [];
  await renderInApp(
    <Trigger toast={{ ...failure, action: { label: "New role", onClick: () => done.push("clicked") } }} />,
  );
  await page.getByRole("button", { name: "Fail" }).click();
  await page.getByRole("alert").getByRole("button", { name: "New role" }).click();
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
  expect(done).toEqual(["clicked"]);
});

test("a dialog doesn't hide a message from screen readers, nor its Close from the mouse", async () => {
  await renderInApp(<Trigger toast={failure} />);
  await page.getByRole("button", { name: "Fail" }).click();
  await page.getByRole("button", { name: "Open dialog" }).click();
  await expect.element(page.getByRole("dialog")).toBeVisible();
  const alert = page.getByRole("alert");
  await expect.element(alert).toBeVisible();
  await alert.getByRole("button", { name: "Close" }).click();
  await expect.element(alert).not.toBeInTheDocument();
});

test("a failure links to the support with its request id", async () => {
  const support = "https://help.example.com/?request=r-7";
  await renderInApp(<Trigger toast={{ ...failure, text: "Not found. Request r-7", requestId: "r-7", support }} />);
  await page.getByRole("button", { name: "Fail" }).click();
  await expect
    .element(page.getByRole("alert").getByRole("link", { name: "Contact support" }))
    .toHaveAttribute("href", support);
});
