// Tests that lazily loaded fields cause no layout shift and lose no input.
import { useEffect, useState } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { lazySearch, SearchSelect, type SelectOption } from "./SearchSelect.tsx";

const options = [
  { id: "a", label: "Anna" },
  { id: "b", label: "Bert" },
];

/**
 * Renders a select whose search isn't loaded yet. With `isReadOnly`, it is read-only until the window event `loaded`.
 */
async function renderSelect(given: SelectOption | null = null, isReadOnly = false) {
  lazySearch.reset();
  const searched: string[] = [];
  const opened: string[] = [];
  function Form() {
    const [value, setValue] = useState(given);
    const [readOnly, setReadOnly] = useState(isReadOnly);
    useEffect(() => {
      const onLoaded = () => setReadOnly(false);
      window.addEventListener("loaded", onLoaded);
      return () => window.removeEventListener("loaded", onLoaded);
    }, []);
    return (
      <>
        <SearchSelect
          label="Owner"
          readOnly={readOnly}
          placeholder="Any"
          helperText="Whose it is"
          value={value}
          onChange={setValue}
          options={options}
          onSearch={(text) => searched.push(text)}
          onOpen={() => opened.push("open")}
        />
        <button>Next</button>
      </>
    );
  }
  await renderInApp(<Form />);
  return { searched, opened };
}

const field = () => page.getByRole("combobox", { name: "Owner" });
const isFetched = () => field().element().closest(".MuiAutocomplete-root") !== null;

const places = () => {
  const root = field().element().closest(".MuiInputBase-root");
  return [field().element(), root, ...(root?.querySelectorAll("button, svg") ?? [])].map((element) => {
    const { x, y, width, height } = element?.getBoundingClientRect() ?? new DOMRect();
    const { padding, fontSize, color } = getComputedStyle(element ?? document.body);
    return { name: element?.tagName, x, y, width, height, padding, fontSize, color };
  });
};

test.each([null, options[0] ?? null])(
  "a select takes the same room before and after it is fetched: %j",
  async (given) => {
    await renderSelect(given);
    await expect.element(field()).toHaveAttribute("aria-expanded", "false");
    expect(isFetched()).toBe(false);
    const before = places();
    await userEvent.keyboard("{Tab}");
    await expect.poll(isFetched).toBe(true);
    await expect.element(field()).toHaveFocus();
    await userEvent.click(page.getByRole("button", { name: "Next" }));
    expect(places()).toEqual(before);
  },
);

test("a click opens the list at once, in the first select as in the others", async () => {
  const { opened } = await renderSelect();
  await field().click();
  await expect.element(page.getByRole("option", { name: "Bert" })).toBeVisible();
  expect(opened).toEqual(["open"]);
  await expect.element(field()).toHaveFocus();
  await page.getByRole("option", { name: "Bert" }).click();
  await expect.element(field()).toHaveValue("Bert");
});

test(
  "in a select that was clicked while the page was loading, what is typed afterwards is searched for",
  { tags: "prove" },
  async () => {
    const { searched } = await renderSelect(null, true);
    await field().click();
    expect(isFetched()).toBe(false);
    window.dispatchEvent(new Event("loaded"));
    await expect.element(field()).not.toHaveAttribute("readonly");
    await userEvent.keyboard("Be");
    await expect.element(page.getByRole("option", { name: "Bert" })).toBeVisible();
    await expect.element(field()).toHaveFocus();
    await expect.element(field()).toHaveValue("Be");
    await expect.poll(() => searched.at(-1)).toBe("Be");
  },
);

test("what is typed before the select is fetched is searched for", { tags: "prove" }, async () => {
  const { searched } = await renderSelect();
  await userEvent.keyboard("{Tab}Be");
  await expect.element(page.getByRole("option", { name: "Bert" })).toBeVisible();
  await userEvent.keyboard("r");
  await expect.element(field()).toHaveValue("Ber");
  await expect.poll(() => searched.at(-1)).toBe("Ber");
});

test("Clear empties the select and leads into it, the arrow keys open it", async () => {
  await renderSelect(options[0]);
  await field().hover();
  await page.getByRole("button", { name: "Clear" }).click();
  await expect.element(field()).toHaveValue("");
  await expect.element(field()).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(page.getByRole("option", { name: "Anna" })).toBeVisible();
});

test("entering what is chosen already opens the list, before and after the select is fetched", async () => {
  await renderSelect(options[0] ?? null);
  await field().fill("Anna");
  await expect.element(page.getByRole("option", { name: "Bert" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("option", { name: "Bert" })).not.toBeInTheDocument();
  await field().fill("Anna");
  await page.getByRole("option", { name: "Bert" }).click();
  await expect.element(field()).toHaveValue("Bert");
});

test.each([
  [2, "2 of 2 matches"],
  [60, "2 of 60 matches. Type in more to see the rest"],
])("the list says how many of %i matches it shows", async (total, note) => {
  await renderInApp(
    <SearchSelect
      label="Owner"
      value={null}
      onChange={() => undefined}
      options={options}
      total={total}
      onSearch={() => undefined}
    />,
  );
  await field().click();
  await expect.element(page.getByText(note, { exact: true })).toBeVisible();
});
