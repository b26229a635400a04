// Tests that form dialogs submit once, place the focus, and never lose input by accident.
import TextField from "@mui/material/TextField";
import { useState } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { FormDialog } from "./FormDialog.tsx";

function later(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => undefined as void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("a double click and Enter while busy submit once; afterwards it can be submitted again", async () => {
  const waits = [later(), later()];
  let submits = 0;
  await renderInApp(
    <FormDialog
      open
      title="New Role"
      submitLabel="Create"
      onClose={() => undefined}
      onSubmit={() => waits[submits++]?.promise}
    >
      <TextField label="Name" />
    </FormDialog>,
  );
  const create = page.getByRole("button", { name: "Create" });
  await create.dblClick();
  await userEvent.keyboard("{Enter}");
  expect(submits).toBe(1);
  await expect.element(page.getByRole("button", { name: "Cancel" })).toBeDisabled();
  waits[0]?.resolve();
  await expect.element(page.getByRole("button", { name: "Cancel" })).toBeEnabled();
  await create.click();
  expect(submits).toBe(2);
  waits[1]?.resolve();
});

test("the first field has the focus and Enter in it submits", async () => {
  let submits = 0;
  await renderInApp(
    <FormDialog open title="New Role" onClose={() => undefined} onSubmit={() => void (submits += 1)}>
      <TextField label="Name" />
      <TextField label="Owner" />
    </FormDialog>,
  );
  await expect.element(page.getByRole("dialog", { name: "New Role" })).toBeVisible();
  await expect.element(page.getByLabelText("Name")).toHaveFocus();
  await userEvent.keyboard("Technician{Enter}");
  expect(submits).toBe(1);
});

test("an error is announced and gets the focus", async () => {
  function Failing() {
    const [error, setError] = useState<string>();
    return (
      <FormDialog
        open
        title="New Role"
        onClose={() => undefined}
        onSubmit={async () => setError("Name is already used")}
        error={error}
      >
        <TextField label="Name" />
      </FormDialog>
    );
  }
  await renderInApp(<Failing />);
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByRole("alert")).toMatchTextContent("Name is already used");
  await expect.element(page.getByRole("alert")).toHaveFocus();
});

test("read-only has no submit button, ignores submits and focuses Close", async () => {
  let submits = 0;
  await renderInApp(
    <FormDialog open readOnly title="Role" onClose={() => undefined} onSubmit={() => void (submits += 1)}>
      <TextField label="Name" defaultValue="Viewer" slotProps={{ htmlInput: { readOnly: true } }} />
    </FormDialog>,
  );
  await expect.element(page.getByRole("button", { name: "Close" })).toHaveFocus();
  await page.getByLabelText("Name").click();
  await userEvent.keyboard("{Enter}");
  expect(submits).toBe(0);
  expect(page.getByRole("button", { name: "Save" }).elements()).toHaveLength(0);
});

test("closing with unsaved input asks first", async () => {
  let closed = 0;
  await renderInApp(
    <FormDialog open dirty title="Role" onClose={() => void (closed += 1)}>
      <TextField label="Name" />
    </FormDialog>,
  );
  await page.getByRole("button", { name: "Cancel" }).click();
  const question = page.getByRole("alertdialog", { name: "Discard changes?" });
  await expect.element(question.getByRole("button", { name: "Keep editing" })).toHaveFocus();
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect.element(question).not.toBeInTheDocument();
  expect(closed).toBe(0);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  expect(closed).toBe(1);
});
