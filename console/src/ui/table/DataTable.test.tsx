// Tests lists by mouse and keyboard, on desktops and phones.
import Box from "@mui/material/Box";
import { useMemo, useState } from "react";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { renderInApp } from "../../testing/render.tsx";
import { DataTable } from "./DataTable.tsx";
import { EmptyState } from "../feedback/EmptyState.tsx";
import { emptySelection, countSelected } from "./Selection.ts";
import type { Column, Sort } from "./columns.ts";
import { findMatch } from "../SearchHighlight.tsx";
import { mergeInPlace } from "./frozenOrder.ts";

type Shop = { id: string; name: string; owner: string; visitors: number };

const shops: readonly Shop[] = [
  { id: "1", name: "Berlin", owner: "North", visitors: 30 },
  { id: "2", name: "Aachen", owner: "West", visitors: 10 },
  { id: "3", name: "Dresden", owner: "North", visitors: 20 },
  { id: "4", name: "Celle", owner: "West", visitors: 40 },
  { id: "5", name: "Erfurt", owner: "North", visitors: 50 },
];

const columns: readonly Column<Shop>[] = [
  { id: "name", header: "Name", cell: (row) => row.name, sortable: true },
  { id: "owner", header: "Owner", cell: (row) => row.owner, sortable: true, width: 120 },
  {
    id: "visitors",
    header: "Visitors",
    cell: (row) => String(row.visitors),
    numeric: true,
    sortable: true,
    width: 100,
  },
  { id: "site", header: "Location", cell: () => <a href="#site">Map</a>, width: 100 },
];
const shopId = (row: Shop) => row.id;

/** Sorts like the server. */
const inOrder = (rows: readonly Shop[], sort: Sort) =>
  rows.toSorted((a, b) => {
    for (const { id, desc } of sort) {
      const order =
        id === "visitors"
          ? a.visitors - b.visitors
          : id === "owner"
            ? a.owner.localeCompare(b.owner)
            : a.name.localeCompare(b.name);
      if (order !== 0) return desc ? -order : order;
    }
    return 0;
  });

type ListProps = {
  rows?: readonly Shop[];
  onOpen?: (name: string) => void;
  onDelete?: (name: string) => void;
  start?: Sort;
  viewKey?: string;
  awaited?: boolean;
  returnTo?: string;
  searched?: string;
};

function List(props: ListProps) {
  const { rows = shops, onOpen, onDelete, start = [], viewKey = "", awaited = false, returnTo, searched } = props;
  const [sort, setSort] = useState<Sort>(start);
  const [selection, setSelection] = useState(emptySelection);
  const sorted = useMemo(() => inOrder(rows, sort), [rows, sort]);
  return (
    <>
      <output>{`${countSelected(selection, rows.length)} chosen`}</output>
      <DataTable
        label="Shops"
        columns={columns}
        rows={sorted}
        rowId={shopId}
        rowLabel={(row) => row.name}
        sort={sort}
        onSortChange={setSort}
        selection={selection}
        onSelectionChange={setSelection}
        total={rows.length}
        viewKey={viewKey}
        isPlaceholder={awaited}
        rowHref={(row) => `#/shop/${row.id}`}
        onRowClick={(row) => onOpen?.(row.name)}
        returnTo={returnTo}
        searchText={searched}
        rowActions={(row) => [
          { label: `Delete ${row.name}`, icon: <span>x</span>, onClick: () => onDelete?.(row.name) },
        ]}
        empty={<EmptyState kind="none" title="No shops existing" />}
      />
    </>
  );
}

function names(): string[] {
  const rows = page.getByRole("row").elements().slice(1);
  return rows.map((row) => shops.find((shop) => row.textContent.includes(shop.name))?.name ?? row.textContent);
}

const header = (name: string) => page.getByRole("columnheader", { name });
const checkbox = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });

test("a click sorts by one column, the next click turns it round, shift-click adds a second column", async () => {
  await renderInApp(<List />);
  await page.getByRole("button", { name: "Owner" }).click();
  await expect.element(header("Owner")).toHaveAttribute("aria-sort", "ascending");
  await expect.poll(names).toEqual(["Berlin", "Dresden", "Erfurt", "Aachen", "Celle"]);
  await page.getByRole("button", { name: "Visitors" }).click({ modifiers: ["Shift"] });
  await expect.element(header("Visitors")).toHaveAttribute("aria-sort", "ascending");
  await expect.element(header("Owner")).toHaveAttribute("aria-sort", "ascending");
  await expect.poll(names).toEqual(["Dresden", "Berlin", "Erfurt", "Aachen", "Celle"]);
  await page.getByRole("button", { name: "Visitors" }).click({ modifiers: ["Shift"] });
  await expect.element(header("Visitors")).toHaveAttribute("aria-sort", "descending");
  await expect.poll(names).toEqual(["Erfurt", "Berlin", "Dresden", "Celle", "Aachen"]);
  await page.getByRole("button", { name: "Name" }).click();
  await expect.element(header("Owner")).toHaveAttribute("aria-sort", "none");
  await expect.poll(names).toEqual(["Aachen", "Berlin", "Celle", "Dresden", "Erfurt"]);
});

test("a column that can't be sorted has neither button nor aria-sort", async () => {
  await renderInApp(<List />);
  await expect.element(header("Location")).not.toHaveAttribute("aria-sort");
  expect(header("Location").getByRole("button").elements()).toHaveLength(0);
});

test("clicking a row opens it; its checkbox, links and actions don't", async () => {
  const calls: string[] = [];
  await renderInApp(
    <List onOpen={(name) => calls.push(`open ${name}`)} onDelete={(name) => calls.push(`delete ${name}`)} />,
  );
  await page.getByText("Celle").click();
  await checkbox("Celle").click();
  await page.getByRole("row", { name: /Celle/ }).getByRole("link", { name: "Map" }).click();
  await page.getByRole("button", { name: "Delete Celle" }).click();
  expect(calls).toEqual(["open Celle", "delete Celle"]);
  await expect.element(page.getByText("1 chosen")).toBeVisible();
});

test("SE-01 a row's name is a link: plain clicks navigate, modified ones are the browser's", async () => {
  const opened: string[] = [];
  await renderInApp(<List onOpen={(name) => opened.push(name)} />);
  const link = page.getByRole("row", { name: /Celle/ }).getByRole("link", { name: "Celle" });
  await expect.element(link).toHaveAttribute("href", "#/shop/4");
  await link.click();
  expect(opened).toEqual(["Celle"]);
  const anchor = link.element() as HTMLElement;
  const left = (init: MouseEventInit) =>
    anchor.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...init }));
  // Prevents the browser from following the link and leaving the test.
  const kept = (event: Event) => event.preventDefault();
  const seen: boolean[] = [];
  const watch = (event: Event) => seen.push(event.defaultPrevented);
  document.addEventListener("click", watch);
  document.addEventListener("click", kept);
  left({ ctrlKey: true });
  left({ metaKey: true });
  left({ shiftKey: true });
  document.removeEventListener("click", watch);
  document.removeEventListener("click", kept);
  expect(seen).toEqual([false, false, false]);
  expect(opened).toEqual(["Celle"]);
});

test("only the links of one row are in the tab order, and arrows move from a link as from its row", async () => {
  await renderInApp(<List />);
  const links = () => page.getByRole("link", { name: /^(?!Map)/ }).elements();
  expect(links().filter((link) => (link as HTMLElement).tabIndex === 0)).toHaveLength(1);
  (page.getByRole("link", { name: "Berlin" }).element() as HTMLElement).focus();
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(page.getByRole("row", { name: /Aachen/ })).toHaveFocus();
  expect((page.getByRole("link", { name: "Aachen" }).element() as HTMLElement).tabIndex).toBe(0);
});

test("who comes back to a list finds the focus on the row that was opened", async () => {
  await renderInApp(<List returnTo="3" />);
  await expect.element(page.getByRole("row", { name: /Dresden/ })).toHaveFocus();
});

test("what was searched for is marked in the names, legible and in their spelling", async () => {
  await renderInApp(<List searched="RES" />);
  const mark = page.getByRole("mark");
  await expect.element(mark).toMatchTextContent(/^res$/);
  expect(getComputedStyle(mark.element()).color).toBe(
    getComputedStyle(page.getByRole("link", { name: "Berlin" }).element()).color,
  );
});

test("an id is found without its colons, a name only as it is", () => {
  expect(findMatch("00:1E:C0:10:00:0A", "1ec0")).toEqual([3, 8]);
  expect(findMatch("00:1E:C0:10:00:0A", "00-0a")).toEqual([12, 17]);
  expect(findMatch("Shop (2)", "(2")).toEqual([5, 7]);
  expect(findMatch("Shop 2", "a.*")).toBeUndefined();
  expect(findMatch("Shop 2", "  ")).toBeUndefined();
});

test("shift-click chooses the range, the header checkbox the page, again it drops the page", async () => {
  await renderInApp(<List />);
  await checkbox("Aachen").click();
  await checkbox("Erfurt").click({ modifiers: ["Shift"] });
  await expect.element(page.getByText("4 chosen")).toBeVisible();
  await expect.element(page.getByRole("row", { name: /Berlin/ })).toHaveAttribute("aria-selected", "false");
  const all = page.getByRole("checkbox", { name: "Select page" });
  await expect.element(all).toBePartiallyChecked();
  await all.click();
  await expect.element(page.getByText("5 chosen")).toBeVisible();
  await all.click();
  await expect.element(page.getByText("0 chosen")).toBeVisible();
});

test("by keyboard: one tab stop, arrows move, Space selects, Shift+arrow extends, Enter opens", async () => {
  const opened: string[] = [];
  await renderInApp(<List onOpen={(name) => opened.push(name)} />);
  const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
  (page.getByRole("button", { name: "Visitors" }).element() as HTMLElement).focus();
  await userEvent.tab();
  await expect.element(row("Berlin")).toHaveFocus();
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  await expect.element(row("Dresden")).toHaveFocus();
  await userEvent.keyboard(" {Shift>}{ArrowDown}{/Shift}");
  await expect.element(page.getByText("2 chosen")).toBeVisible();
  await userEvent.keyboard("{Enter}");
  expect(opened).toEqual(["Celle"]);
  await userEvent.keyboard("{End}");
  await expect.element(row("Erfurt")).toHaveFocus();
  await userEvent.tab();
  await expect.element(checkbox("Erfurt")).toHaveFocus();
});

test("the answer to another question starts from scratch, also under a resting pointer", async () => {
  function Searched() {
    const [step, setStep] = useState(0);
    // Step 1 is a new query with the previous rows; step 2 is its response.
    return (
      <>
        <button onFocus={() => setStep(1)}>Ask</button>
        <button onFocus={() => setStep(2)}>Answer</button>
        <List rows={step === 2 ? found : shops} viewKey={step === 0 ? "all" : "south"} awaited={step === 1} />
      </>
    );
  }
  const found = shops.slice(2).toReversed();
  await renderInApp(<Searched />);
  await page.getByText("Dresden").hover();
  const press = (name: string) => (page.getByRole("button", { name }).element() as HTMLElement).focus();
  press("Ask");
  await expect.element(page.getByText("Aachen")).toBeVisible();
  press("Answer");
  await expect.element(page.getByText("Aachen")).not.toBeInTheDocument();
  expect(names()).toEqual(found.map(({ name }) => name));
  await expect.element(page.getByRole("row", { name: /Erfurt/ })).not.toHaveAttribute("aria-disabled");
});

test("news keep the order while the pointer rests on a row, and take their place afterwards", async () => {
  function Live() {
    const [rows, setRows] = useState(shops);
    return (
      <>
        <button onClick={() => undefined}>Elsewhere</button>
        <button
          onFocus={() =>
            setRows(
              shops
                .filter((shop) => shop.id !== "2")
                .map((shop) => (shop.id === "5" ? { ...shop, visitors: 1 } : shop)),
            )
          }
        >
          News
        </button>
        <List rows={rows} start={[{ id: "visitors", desc: false }]} />
      </>
    );
  }
  await renderInApp(<Live />);
  expect(names()).toEqual(["Aachen", "Dresden", "Berlin", "Celle", "Erfurt"]);
  await page.getByText("Dresden").hover();
  (page.getByRole("button", { name: "News" }).element() as HTMLElement).focus();
  await expect.element(page.getByRole("row", { name: /Erfurt North 1 / })).toBeVisible();
  expect(names()).toEqual(["Aachen", "Dresden", "Berlin", "Celle", "Erfurt"]);
  await expect.element(page.getByRole("row", { name: /Aachen/ })).toHaveAttribute("aria-disabled", "true");
  await page.getByRole("button", { name: "Elsewhere" }).hover();
  await expect.poll(names).toEqual(["Erfurt", "Dresden", "Berlin", "Celle"]);
});

test("merging keeps every known row in place, marks the vanished and appends the new", () => {
  const before = ["a", "b", "c"].map((row) => ({ row, gone: false }));
  expect(mergeInPlace(before, ["d", "c", "a"], (row) => row)).toEqual([
    { row: "a", gone: false },
    { row: "b", gone: true },
    { row: "c", gone: false },
    { row: "d", gone: false },
  ]);
});

test("after a focused row is deleted the focus goes to the next one", async () => {
  function Deletable() {
    const [rows, setRows] = useState(shops);
    return <List rows={rows} onDelete={(name) => setRows(rows.filter((shop) => shop.name !== name))} />;
  }
  await renderInApp(<Deletable />);
  (page.getByRole("button", { name: "Visitors" }).element() as HTMLElement).focus();
  await userEvent.tab();
  await userEvent.keyboard("{ArrowDown}");
  await userEvent.tab();
  await userEvent.tab();
  await userEvent.tab();
  await userEvent.tab();
  await expect.element(page.getByRole("button", { name: "Delete Aachen" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText("Aachen")).not.toBeInTheDocument();
  await expect.element(page.getByRole("row", { name: /Dresden/ })).toHaveFocus();
});

test("long text is cut on one line and shown in full on hover", { tags: "prove" }, async () => {
  const long = {
    id: "9",
    name: "A name that is far too long for its column ".repeat(6).trim(),
    owner: "North",
    visitors: 1,
  };
  await renderInApp(<List rows={[long, ...shops]} />);
  await page.getByText("Berlin").hover();
  await page.getByText(long.name).hover();
  await expect.element(page.getByRole("tooltip")).toMatchTextContent(long.name);
  const heights = page
    .getByRole("row")
    .elements()
    .slice(1)
    .map((row) => row.getBoundingClientRect().height);
  expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(1.5);
});

test("of a name without room the beginning is cut and the end stays; the link is called by the whole", async () => {
  const name = "Harbour Stores Frankfurt Central Station Branch 12";
  await page.viewport(760, 600);
  await renderInApp(
    <Box sx={{ width: 560 }}>
      <List rows={[{ id: "9", name, owner: "North", visitors: 1 }, ...shops]} onOpen={() => undefined} />
    </Box>,
  );
  const link = page.getByRole("link", { name, exact: true });
  const [start, end] = [...link.element().querySelectorAll("span > span")];
  expect(end?.textContent).toBe("Branch 12");
  expect(start?.scrollWidth).toBeGreaterThan(start?.clientWidth ?? Infinity);
  const cell = link.element().closest("td")?.getBoundingClientRect();
  const shown = end?.getBoundingClientRect();
  expect(shown?.right).toBeLessThanOrEqual(cell?.right ?? 0);
  await page.getByText("Berlin").hover();
  await link.hover();
  await expect.element(page.getByRole("tooltip")).toMatchTextContent(name);
});

test("if columns don't fit, minor ones are hidden before numbers are cut or the table scrolls", async () => {
  const narrow: readonly Column<Shop>[] = columns.map((column) =>
    column.id === "owner" ? { ...column, onNarrow: "none" } : column,
  );
  const widthOf = async (width: number, loading = false) => {
    const shown = await renderInApp(
      <Box sx={{ width }}>
        <DataTable
          label="Shops"
          columns={narrow}
          rows={loading ? [] : shops}
          rowId={shopId}
          rowLabel={({ name }) => name}
          loading={loading}
          rowActions={({ name }) => [{ label: `Delete ${name}`, icon: "x", onClick: () => {} }]}
        />
      </Box>,
    );
    const table = page.getByRole("table", { name: "Shops" }).element();
    const box = table.parentElement;
    const titles = [...table.querySelectorAll("th")].filter((one) => one.getClientRects().length > 0);
    const places = [...table.querySelectorAll("tbody tr")].map(
      (row) => [...row.children].filter((one) => one.getClientRects().length > 0).length,
    );
    const state = {
      titles: titles.map((one) => one.textContent),
      cells: [...new Set(places)],
      scrolls: box !== null && box.scrollWidth > box.clientWidth,
    };
    await shown.unmount();
    return state;
  };
  // 176 + 100 + 100 for the columns, 56 for the actions, and 120 for the owner.
  const all = ["Name", "Owner", "Visitors", "Location", "Actions"];
  expect(await widthOf(560)).toEqual({ titles: all, cells: [5], scrolls: false });
  const few = { titles: ["Name", "Visitors", "Location", "Actions"], cells: [4], scrolls: false };
  expect(await widthOf(545)).toEqual(few);
  expect(await widthOf(545, true)).toEqual(few);
  expect(await widthOf(436)).toEqual(few);
  expect(await widthOf(420)).toEqual({ ...few, scrolls: true });
});

test("on the phone a card is headed by the column that says so, whole, and clear of its actions", async () => {
  await page.viewport(390, 844);
  const long = "A name that is far too long for the width of a phone";
  await renderInApp(
    <DataTable
      label="Shops"
      columns={columns.map((column) => (column.id === "owner" ? { ...column, onPhone: "title" } : column))}
      rows={[{ id: "1", name: "Berlin", owner: long, visitors: 30 }]}
      rowId={shopId}
      rowLabel={(row) => row.name}
      rowActions={(row) => [{ label: `Delete ${row.name}`, icon: <b>x</b>, onClick: () => {} }]}
      rowHref={() => "#/shop/1"}
      onRowClick={() => {}}
    />,
  );
  const title = page.getByRole("link", { name: long });
  await expect.element(title).toBeVisible();
  expect(
    page
      .getByRole("term")
      .elements()
      .map((term) => term.textContent),
  ).toEqual(["Name", "Visitors", "Location"]);
  const action = page.getByRole("button", { name: "Delete Berlin" }).element().getBoundingClientRect();
  const box = title.element().getBoundingClientRect();
  expect(box.right).toBeLessThanOrEqual(action.left);
  expect(box.height).toBeGreaterThan(30);
});

test("skeleton rows are as high as rows, so that nothing jumps", async () => {
  const view = await renderInApp(
    <DataTable
      label="Shops"
      columns={columns}
      rows={[]}
      rowId={shopId}
      rowLabel={(row) => row.name}
      loading
      skeletonRows={5}
    />,
  );
  await expect.element(page.getByText("Loading")).toBeInTheDocument();
  const before = page.getByRole("table").element().getBoundingClientRect().height;
  await view.rerender(
    <DataTable label="Shops" columns={columns} rows={shops} rowId={shopId} rowLabel={(row) => row.name} />,
  );
  await expect.element(page.getByText("Celle")).toBeVisible();
  expect(Math.abs(page.getByRole("table").element().getBoundingClientRect().height - before)).toBeLessThanOrEqual(1);
});

test("without rows the empty screen stands in their place", async () => {
  await renderInApp(<List rows={[]} />);
  await expect.element(page.getByText("No shops existing")).toBeVisible();
  expect(page.getByRole("table").elements()).toHaveLength(0);
});

test("on a phone rows are cards of two lines, their title a link, and nothing overflows", async () => {
  await page.viewport(360, 740);
  const opened: string[] = [];
  await renderInApp(<List onOpen={(name) => opened.push(name)} />);
  const cards = page.getByRole("list", { name: "Shops" }).getByRole("listitem");
  await expect.element(cards.first()).toMatchTextContent(/Berlin.*Owner.*North.*Visitors.*30.*Location.*Map/);
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(360);
  const card = cards.first().element().getBoundingClientRect();
  expect(card.height).toBeGreaterThanOrEqual(44);
  expect(card.height).toBeLessThanOrEqual(72);
  await page.getByRole("link", { name: "Celle", exact: true }).click();
  expect(opened).toEqual(["Celle"]);
  await checkbox("Celle").click();
  await expect.element(page.getByText("1 chosen")).toBeVisible();
  await page.getByRole("button", { name: "Sort" }).click();
  await page.getByRole("menuitem", { name: "Visitors, descending" }).click();
  await expect.element(cards.first()).toMatchTextContent("Erfurt");
});

test("on a phone a link that a row would cut stands whole in its card", async () => {
  await page.viewport(360, 740);
  const oneLine = { display: "block", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" };
  const long = "Harbour Stores Old Town, South entrance beside the ferry";
  const linked: readonly Column<Shop>[] = [
    { id: "name", header: "Name", cell: (row) => row.name },
    {
      id: "site",
      header: "Location",
      cell: () => (
        <Box component="a" href="#site" sx={oneLine}>
          {long}
        </Box>
      ),
    },
  ];
  await renderInApp(
    <DataTable label="Shops" columns={linked} rows={shops} rowId={shopId} rowLabel={(row) => row.name} />,
  );
  const link = page.getByRole("link", { name: long }).first();
  await expect.element(link).toBeVisible();
  const card = link.element().closest("li")?.getBoundingClientRect();
  expect(link.element().getBoundingClientRect().right).toBeLessThanOrEqual(card?.right ?? 0);
  expect(link.element().scrollWidth).toBeLessThanOrEqual(link.element().clientWidth);
});
