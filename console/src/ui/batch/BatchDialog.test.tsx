// Tests the progress and outcomes of batch dialogs, and retrying the failed objects.
import { useState } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { BatchDialog } from "./BatchDialog.tsx";
import { BatchJobsProvider } from "./BatchJobs.tsx";
import type { BatchRun } from "./batchJob.ts";
import { formatSeconds, estimateProgress, type BatchResult } from "./batchRun.ts";

const texts = {
  success: (changed: number) => `Successfully updated all ${changed} account(s)!`,
  partial: (failed: number, changed: number) =>
    `${failed} account(s) failed to update! ${changed} account(s) was/were updated successfully.`,
  failedTitle: "Saving Failed",
};

function show(run: BatchRun, onClose: (result?: BatchResult) => void = () => undefined) {
  return renderInApp(
    <BatchDialog
      title="Set role of 3 accounts"
      submitLabel="Save"
      total={3}
      run={run}
      texts={texts}
      renderName={(id) => (id === "id-7" ? "Branch 7" : undefined)}
      onClose={onClose}
    >
      The role of 3 accounts will be overwritten.
    </BatchDialog>,
  );
}

test("full success tells the number and hands the result over on Close", async () => {
  const results: (BatchResult | undefined)[] = [];
  await show(
    async () => ({ success: 3, fail: [] }),
    (result) => results.push(result),
  );
  await expect.element(page.getByText("The role of 3 accounts will be overwritten.")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByText("Successfully updated all 3 account(s)!")).toBeVisible();
  expect(page.getByRole("button", { name: "Retry failed" }).elements()).toHaveLength(0);
  await page.getByRole("button", { name: "Close" }).click();
  expect(results).toEqual([{ success: 3, fail: [] }]);
});

test("deleting more than ten does nothing until their number was typed", async () => {
  let runs = 0;
  const view = (total: number) => (
    <BatchDialog
      danger
      title="Delete"
      submitLabel="Delete"
      total={total}
      run={async () => ({ success: (runs += 1), fail: [] })}
      texts={texts}
      onClose={() => undefined}
    >
      Sure?
    </BatchDialog>
  );
  const { rerender } = await renderInApp(view(10));
  await expect.element(page.getByText("Sure?")).toBeVisible();
  expect(page.getByRole("textbox").elements()).toHaveLength(0);
  await rerender(view(11));
  const field = page.getByLabelText("Type 11 to confirm");
  const remove = page.getByRole("button", { name: "Delete" });
  await field.fill("1");
  await remove.click();
  await expect.element(field).toHaveAccessibleDescription("Type 11 first");
  expect(runs).toBe(0);
  await field.fill("11");
  await remove.click();
  await expect.element(page.getByRole("status")).toBeVisible();
  expect(runs).toBe(1);
});

test("partial failure lists each error with its object, and Retry failed tries only those", async () => {
  const tried: (readonly string[] | undefined)[] = [];
  await show(async ({ onlyIds }) => {
    tried.push(onlyIds);
    if (onlyIds !== undefined) return { success: 2, fail: [] };
    return {
      success: 1,
      fail: [
        { id: "id-7", errMessage: "You don't have permission to edit this account" },
        { id: "id-9", errMessage: "Account not found" },
      ],
    };
  });
  await page.getByRole("button", { name: "Save" }).click();
  await expect
    .element(page.getByRole("alert"))
    .toMatchTextContent("2 account(s) failed to update! 1 account(s) was/were updated successfully.");
  await page.getByRole("button", { name: "Details" }).click();
  const items = page.getByRole("list", { name: "Failures" }).getByRole("listitem");
  await expect
    .element(items.nth(0))
    .toMatchTextContent("You don't have permission to edit this accountObject ID: id-7 Branch 7");
  await expect.element(items.nth(1)).toMatchTextContent("Account not foundObject ID: id-9");
  await page.getByRole("button", { name: "Retry failed" }).click();
  await expect.element(page.getByText("Successfully updated all 3 account(s)!")).toBeVisible();
  expect(tried).toEqual([undefined, ["id-7", "id-9"]]);
});

test("when nothing changed it is a full failure, with the common text shown as the general one", async () => {
  await show(async () => ({ success: 0, fail: ["a", "b", "c"].map((id) => ({ id, errMessage: "Role not found" })) }));
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("Saving FailedRole not found");
});

test("different errors have no general text", async () => {
  await show(async () => ({
    success: 0,
    fail: [
      { id: "a", errMessage: "One" },
      { id: "b", errMessage: "Two" },
    ],
  }));
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByRole("alert")).toMatchTextContent(/^Saving Failed$/);
});

test("a call that fails as a whole shows the server's text and offers no retry of items", async () => {
  await show(async () => {
    throw new Error("No changes specified");
  });
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("Saving FailedNo changes specified");
  expect(page.getByRole("button", { name: "Retry failed" }).elements()).toHaveLength(0);
});

test("while saving it shows the count, can't be closed by Escape, and Cancel stops the run", async () => {
  let closed = 0;
  await show(
    ({ onProgress, signal }) =>
      new Promise((_, reject) => {
        onProgress(2);
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
    () => void (closed += 1),
  );
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByRole("progressbar", { name: "Progress" })).toHaveAttribute("aria-valuenow", "67");
  await expect.element(page.getByText("2 of 3")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(closed).toBe(0);
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("Canceled.");
});

test("pace and time left are reckoned from what is done", () => {
  expect(estimateProgress(0, 100, 5000)).toBeNull();
  expect(estimateProgress(10, 100, 500)).toBeNull();
  expect(estimateProgress(20, 100, 4000)).toEqual({ perSecond: 5, secondsLeft: 16 });
  expect([formatSeconds(42), formatSeconds(200), formatSeconds(3900)]).toEqual(["42 s", "3 min", "1 h 5 min"]);
});

test(
  "left while running, the batch goes on in a corner of the page and its failures stay until closed",
  { tags: "prove" },
  async () => {
    const finish: ((result: BatchResult) => void)[] = [];
    const tried: (readonly string[] | undefined)[] = [];
    function Pages() {
      const [here, setHere] = useState(true);
      return (
        <BatchJobsProvider>
          {here ? (
            <BatchDialog
              title="Set role of 3 accounts"
              submitLabel="Save"
              total={3}
              texts={texts}
              onClose={() => setHere(false)}
              run={({ onlyIds, onProgress }) => {
                tried.push(onlyIds);
                onProgress(1);
                return new Promise((resolve) => finish.push(resolve));
              }}
            >
              Preview
            </BatchDialog>
          ) : (
            <p>Another page</p>
          )}
        </BatchJobsProvider>
      );
    }
    await renderInApp(<Pages />);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Continue in background" }).click();
    await expect.element(page.getByText("Another page")).toBeVisible();
    const card = page.getByRole("region", { name: "Set role of 3 accounts" });
    await expect.element(card.getByText("1 of 3")).toBeVisible();
    finish[0]?.({ success: 2, fail: [{ id: "id-7", errMessage: "Account not found" }] });
    await expect.element(card.getByRole("alert")).toMatchTextContent("1 account(s) failed to update! 2 account(s)");
    await card.getByRole("button", { name: "Retry failed" }).click();
    await expect.poll(() => tried).toEqual([undefined, ["id-7"]]);
    finish[1]?.({ success: 1, fail: [] });
    await expect.element(page.getByText("Successfully updated all 3 account(s)!")).toBeVisible();
    await expect.element(card).not.toBeInTheDocument();
  },
);

test("a retry that fails as a whole keeps what is still to do", async () => {
  let calls = 0;
  await show(async () => {
    calls += 1;
    if (calls === 2) throw new Error("No connection to server.");
    return { success: 2, fail: calls === 1 ? [{ id: "id-7", errMessage: "Busy" }] : [] };
  });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Retry failed" }).click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("No connection to server.");
  await expect.element(page.getByRole("button", { name: "Retry failed" })).toBeVisible();
});
