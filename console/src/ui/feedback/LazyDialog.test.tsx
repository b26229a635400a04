// If a dialog's chunk fails to load, an error with a retry appears over the unchanged page (ER-04).
import { expect, test, vi } from "vitest";
import { renderInApp } from "../../testing/render.tsx";
import { useState } from "react";
import { LazyDialog, KeepMountedDialog } from "./LazyDialog.tsx";

const Hello = ({ name }: { name: string }) => <div role="dialog">Hello {name}</div>;

test("ER-04 a dialog that can't be fetched is named over the page, and comes when trying again works", async () => {
  const load = vi.fn(() => Promise.resolve(Hello));
  load.mockRejectedValueOnce(new Error("Loading chunk RegistrationQr failed"));
  const onClose = vi.fn();
  const screen = await renderInApp(
    <>
      <h1>Sensor</h1>
      <LazyDialog load={load} onClose={onClose} show={{ name: "Ada" }} />
    </>,
  );
  const failed = screen.getByRole("dialog", { name: "Loading chunk RegistrationQr failed" });
  await expect.element(failed).toBeVisible();
  await expect.element(screen.getByText("Sensor")).toBeInTheDocument();
  await failed.getByRole("button", { name: "Close" }).click();
  expect(onClose).toHaveBeenCalledTimes(1);
  await failed.getByRole("button", { name: "Try again" }).click();
  await expect.element(screen.getByText("Hello Ada")).toBeVisible();
  expect(load).toHaveBeenCalledTimes(2);
});

const Panel = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <div role="dialog" aria-label="Panel" data-open={open}>
    <button onClick={onClose}>Put away</button>
  </div>
);

test("ER-04 a panel stays to slide away; one that can't be fetched can be closed and asked for again", async () => {
  const load = vi.fn(() => Promise.resolve(Panel));
  load.mockRejectedValueOnce(new Error("Loading chunk Panel failed"));
  function Place() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <button onClick={() => setOpen(true)}>Open</button>
        <KeepMountedDialog load={load} show={{ open, onClose: () => setOpen(false) }} />
      </>
    );
  }
  const screen = await renderInApp(<Place />);
  expect(load).not.toHaveBeenCalled();
  await screen.getByRole("button", { name: "Open" }).click();
  const failed = screen.getByRole("dialog", { name: "Loading chunk Panel failed" });
  await failed.getByRole("button", { name: "Close" }).click();
  await expect.element(failed).not.toBeInTheDocument();
  await screen.getByRole("button", { name: "Open" }).click();
  const panel = screen.getByRole("dialog", { name: "Panel" });
  await expect.element(panel).toHaveAttribute("data-open", "true");
  await panel.getByRole("button", { name: "Put away" }).click();
  await expect.element(panel).toHaveAttribute("data-open", "false");
});
