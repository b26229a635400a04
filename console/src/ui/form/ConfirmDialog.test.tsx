// Tests the confirmation of irreversible actions.
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { ConfirmDialog } from "./ConfirmDialog.tsx";

test("the focus is on the button that does no harm, and Enter there deletes nothing", async () => {
  const calls: string[] = [];
  await renderInApp(
    <ConfirmDialog
      open
      title="Delete Role"
      confirmLabel="Delete"
      onConfirm={() => void calls.push("delete")}
      onClose={() => calls.push("close")}
    >
      You are about to delete the role Viewer owned by Branch 01. Are you sure?
    </ConfirmDialog>,
  );
  const dialog = page.getByRole("alertdialog", { name: "Delete Role" });
  await expect.element(dialog).toHaveAccessibleDescription(/role Viewer owned by Branch 01/);
  await expect.element(page.getByRole("button", { name: "Cancel" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  expect(calls).toEqual(["close"]);
});

test("a double click confirms once", async () => {
  let confirms = 0;
  await renderInApp(
    <ConfirmDialog
      open
      title="Delete"
      confirmLabel="Delete"
      onClose={() => undefined}
      onConfirm={() => {
        confirms += 1;
        return new Promise(() => undefined);
      }}
    >
      Sure?
    </ConfirmDialog>,
  );
  await page.getByRole("button", { name: "Delete" }).dblClick();
  expect(confirms).toBe(1);
});

test("typed confirmation: the button does nothing until the word is there, and the field says so", async () => {
  let confirms = 0;
  await renderInApp(
    <ConfirmDialog
      open
      title="Delete"
      confirmLabel="Delete"
      typeToConfirm="Branch 01"
      onClose={() => undefined}
      onConfirm={() => void (confirms += 1)}
    >
      Sure?
    </ConfirmDialog>,
  );
  const confirm = page.getByRole("button", { name: "Delete" });
  const field = page.getByLabelText("Type Branch 01 to confirm");
  await field.fill("Branch 0");
  await confirm.click();
  expect(confirms).toBe(0);
  await expect.element(field).toHaveAccessibleDescription("Type Branch 01 first");
  await expect.element(field).toHaveFocus();
  await field.fill("Branch 01");
  await confirm.click();
  expect(confirms).toBe(1);
});
