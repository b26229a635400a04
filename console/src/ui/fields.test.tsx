// Tests search fields, password fields, filters, and the selection toolbar.
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../testing/render.tsx";
import { typeInto } from "../testing/type.ts";
import { BatchBar } from "./batch/BatchBar.tsx";
import { ErrorSummary } from "./form/ErrorSummary.tsx";
import { FilterChips } from "./table/FilterChips.tsx";
import { FilterDrawer, FiltersButton, useIsFilterPanelInline } from "./table/FilterDrawer.tsx";
import { PasswordField } from "./form/PasswordField.tsx";
import { SearchField } from "./table/SearchField.tsx";
import { SearchSelect } from "./choice/SearchSelect.tsx";

function Search({ reported }: { reported: string[] }) {
  const [value, setValue] = useState("");
  return (
    <>
      <SearchField
        label="Search by name"
        value={value}
        onChange={(text) => {
          reported.push(text);
          setValue(text);
        }}
      />
      <button onClick={() => setValue("")}>Clear all</button>
    </>
  );
}

test("the label of a search box is its alone, with text in it, too", async () => {
  await renderInApp(<Search reported={[]} />);
  await page.getByLabelText("Search by name").fill("Bran");
  await expect.element(page.getByRole("button", { name: "Clear search" })).toBeVisible();
  expect(page.getByLabelText("Search by name").elements()).toHaveLength(1);
  await page.getByRole("button", { name: "Clear search" }).click();
  await expect.element(page.getByLabelText("Search by name")).toHaveValue("");
});

test("searching waits 300 ms after the last key and reports the text once", async () => {
  const reported: string[] = [];
  await renderInApp(<Search reported={reported} />);
  const box = page.getByLabelText("Search by name").element();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  typeInto(box, "Bran");
  await vi.advanceTimersByTimeAsync(299);
  expect(reported).toEqual([]);
  typeInto(box, "Branch");
  await vi.advanceTimersByTimeAsync(299);
  expect(reported).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(reported).toEqual(["Branch"]);
});

test("what was reported and comes back late does not overwrite what was typed since", async () => {
  const reported: string[] = [];
  let comesBack: (text: string) => void = () => undefined;
  function Slow() {
    const [value, setValue] = useState("");
    useEffect(() => void (comesBack = setValue), []);
    return <SearchField label="Search by name" value={value} onChange={(text) => reported.push(text)} />;
  }
  await renderInApp(<Slow />);
  const box = page.getByLabelText("Search by name");
  for (const text of ["B", "Br"]) {
    await box.fill(text);
    await userEvent.keyboard("{Enter}");
  }
  expect(reported).toEqual(["B", "Br"]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  typeInto(box.element(), "Bran");
  for (const text of reported.slice()) flushSync(() => comesBack(text));
  await vi.advanceTimersByTimeAsync(300);
  expect(reported).toEqual(["B", "Br", "Bran"]);
  vi.useRealTimers();
  await expect.element(box).toHaveValue("Bran");
  // A value that the page sets is still shown.
  flushSync(() => comesBack("Bran"));
  flushSync(() => comesBack("Gate"));
  await expect.element(box).toHaveValue("Gate");
});

test("Enter searches at once, and Clear all from outside empties the box", async () => {
  const reported: string[] = [];
  await renderInApp(<Search reported={reported} />);
  const box = page.getByLabelText("Search by name");
  await box.fill("Gate");
  await userEvent.keyboard("{Enter}");
  expect(reported).toEqual(["Gate"]);
  await page.getByRole("button", { name: "Clear all" }).click();
  await expect.element(box).toHaveValue("");
});

test("the password can be shown and hidden, and password managers learn what it is for", async () => {
  await renderInApp(<PasswordField label="Password" autoComplete="current-password" />);
  const field = page.getByRole("textbox", { name: "Password" });
  const input = page.getByLabelText("Password", { exact: true });
  await expect.element(input).toHaveAttribute("autocomplete", "current-password");
  await expect.element(input).toHaveAttribute("type", "password");
  await page.getByRole("button", { name: "Show password" }).click();
  await expect.element(field).toHaveAttribute("type", "text");
  await page.getByRole("button", { name: "Hide password" }).click();
  await expect.element(input).toHaveAttribute("type", "password");
});

test("caps lock is hinted at", async () => {
  await renderInApp(<PasswordField label="Password" autoComplete="current-password" />);
  const input = page.getByLabelText("Password", { exact: true }).element();
  input.dispatchEvent(new KeyboardEvent("keyup", { key: "A", bubbles: true, modifierCapsLock: true }));
  await expect.element(page.getByText("Caps lock is on")).toBeVisible();
  input.dispatchEvent(new KeyboardEvent("keyup", { key: "a", bubbles: true, modifierCapsLock: false }));
  await expect.element(page.getByText("Caps lock is on")).not.toBeInTheDocument();
});

function Filters() {
  const beside = useIsFilterPanelInline();
  const [open, setOpen] = useState(beside);
  const [cleared, setCleared] = useState(false);
  return (
    <>
      <FiltersButton open={open} onClick={() => setOpen(!open)} activeCount={cleared ? 0 : 2} />
      <FilterDrawer
        open={open}
        onClose={() => setOpen(false)}
        activeCount={cleared ? 0 : 2}
        onClear={() => setCleared(true)}
        clearLabel="Clear filters"
      >
        <label>
          State <input />
        </label>
      </FilterDrawer>
    </>
  );
}

test("filters stand beside the list on wide screens and can be put away", async () => {
  await renderInApp(<Filters />);
  await expect.element(page.getByRole("complementary", { name: "Filters" })).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect.element(page.getByRole("button", { name: "Clear filters" })).not.toBeInTheDocument();
  await page.getByRole("button", { name: "Close filters" }).click();
  await expect.element(page.getByLabelText("State")).not.toBeInTheDocument();
});

test("on a phone filters are a sheet that closes with Escape and gives the focus back", { tags: "prove" }, async () => {
  await page.viewport(360, 740);
  await renderInApp(<Filters />);
  await page.getByRole("button", { name: /^Filters/ }).click();
  await expect.element(page.getByRole("dialog", { name: "Filters" })).toHaveFocus();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
  await expect.element(page.getByRole("button", { name: /^Filters/ })).toHaveFocus();
});

test("active filters are removable by name", async () => {
  const removed: string[] = [];
  await renderInApp(
    <FilterChips
      filters={[{ id: "owner", name: "Owner", value: "Branch 01", onRemove: () => removed.push("owner") }]}
      onClear={() => removed.push("all")}
    />,
  );
  await page.getByRole("button", { name: "Remove filter Owner: Branch 01" }).click();
  await page.getByRole("button", { name: "Clear all" }).click();
  expect(removed).toEqual(["owner", "all"]);
});

test("the selection's bar tells how many, offers all, and its actions say why they are off", async () => {
  const calls: string[] = [];
  await renderInApp(
    <BatchBar
      count={2}
      total={312}
      offerAll
      onSelectAll={() => calls.push("all")}
      onCancel={() => calls.push("cancel")}
      actions={[
        { label: "Set firmware", onClick: () => calls.push("firmware"), disabledReason: "No firmware exists" },
        { label: "Delete", danger: true, onClick: () => calls.push("delete") },
      ]}
    />,
  );
  await expect.element(page.getByText("2 selected")).toBeVisible();
  await page.getByRole("button", { name: "Select all 312" }).click();
  await page.getByRole("button", { name: "Set firmware" }).click({ force: true });
  await expect
    .element(page.getByRole("button", { name: "Set firmware" }))
    .toHaveAccessibleDescription("No firmware exists");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(calls).toEqual(["all", "delete", "cancel"]);
});

test("on a phone the actions of a selection are a menu", async () => {
  await page.viewport(360, 740);
  const calls: string[] = [];
  await renderInApp(
    <BatchBar
      count={1}
      total={1}
      offerAll={false}
      onSelectAll={() => undefined}
      onCancel={() => undefined}
      actions={[{ label: "Delete", onClick: () => calls.push("delete") }]}
    />,
  );
  await page.getByRole("button", { name: "Actions" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  expect(calls).toEqual(["delete"]);
});

test("the first invalid field gets the focus, and the summary links to each of several", async () => {
  const errors = [
    { fieldId: "name", message: "The name is required" },
    { fieldId: "city", message: "The city is required" },
  ];
  const form = (shown: typeof errors) => (
    <>
      <ErrorSummary errors={shown} />
      <input id="name" aria-label="Name" />
      <input id="city" aria-label="City" />
    </>
  );
  const { rerender } = await renderInApp(form(errors));
  await expect.element(page.getByLabelText("Name")).toHaveFocus();
  await page.getByRole("link", { name: "The city is required" }).click();
  await expect.element(page.getByLabelText("City")).toHaveFocus();
  await rerender(form(errors.slice(0, 1)));
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
});

test("a summary may list a single one, and what is wrong with no field in particular", async () => {
  const [odd, city] = [
    { fieldId: null, message: "The two do not fit" },
    { fieldId: "city", message: "The city is required" },
  ];
  const form = (shown: Parameters<typeof ErrorSummary>[0]["errors"]) => (
    <>
      <ErrorSummary errors={shown} least={1} />
      <input id="city" aria-label="City" />
    </>
  );
  const { rerender } = await renderInApp(form([odd, city]));
  await expect.element(page.getByLabelText("City")).toHaveFocus();
  await expect.element(page.getByRole("listitem").filter({ hasText: odd.message })).toBeVisible();
  expect(page.getByRole("link").elements()).toHaveLength(1);
  await rerender(form([odd]));
  await expect.element(page.getByRole("alert")).toBeVisible();
  await rerender(form([]));
  await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
});

/** Passes a new object as the selected option on every render, like callers that store only ids. */
function RoleChoice({ searched }: { searched: string[] }) {
  const [, redraw] = useState(0);
  return (
    <>
      <SearchSelect
        label="Role"
        value={{ id: "1", label: "Branch manager" }}
        onChange={() => undefined}
        options={[{ id: "1", label: "Branch manager" }]}
        onSearch={(text) => {
          searched.push(text);
          redraw((times) => times + 1);
        }}
      />
      <button onClick={() => redraw((times) => times + 1)}>News arrives</button>
    </>
  );
}

test(
  "what is typed over a choice stays while the page is drawn again, and is searched for",
  { tags: "prove" },
  async () => {
    const searched: string[] = [];
    await renderInApp(<RoleChoice searched={searched} />);
    const field = page.getByRole("combobox", { name: "Role" });
    await field.fill("Viewer");
    // Dispatches the event, because a real click would blur the field.
    flushSync(() =>
      page
        .getByText("News arrives")
        .element()
        .dispatchEvent(new MouseEvent("click", { bubbles: true })),
    );
    await expect.poll(() => searched).toEqual(["Viewer"]);
    await expect.element(field).toHaveValue("Viewer");
  },
);
