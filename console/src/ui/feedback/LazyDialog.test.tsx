// A dialog whose code can't be fetched: said over the page, which stays, and tried again (ER-04).
import { expect, test, vi } from "vitest";
import { renderInApp } from "../../testing/render.tsx";
import { LazyDialog } from "./LazyDialog.tsx";

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
