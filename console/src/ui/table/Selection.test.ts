// Tests row selection by example, and compares it with a naive set of ids.
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  allSelected,
  canSelectAll,
  emptySelection,
  isSelected,
  pageSelectionState,
  countSelected,
  withSelected,
  type Selection,
} from "./Selection.ts";

const toggled = (selection: Selection, id: string, total: number) =>
  withSelected(selection, [id], !isSelected(selection, id), total);

test("paging accumulates ids", () => {
  const first = withSelected(emptySelection, ["a", "b"], true, 100);
  const second = withSelected(first, ["x"], true, 100);
  expect(countSelected(second, 100)).toBe(3);
  expect(["a", "b", "x"].every((id) => isSelected(second, id))).toBe(true);
});

test("selecting all and dropping one counts total minus one and remembers the exception", () => {
  const selection = toggled(allSelected, "b", 10);
  expect(selection.mode).toBe("query");
  expect(countSelected(selection, 10)).toBe(9);
  expect(isSelected(selection, "b")).toBe(false);
  expect(isSelected(selection, "never seen")).toBe(true);
});

test("AC-15 deselecting everything of a query returns to page mode", () => {
  let selection: Selection = allSelected;
  for (const id of ["a", "b", "c"]) selection = toggled(selection, id, 3);
  expect(selection).toEqual(emptySelection);
});

test("AC-15 select all is offered in page mode and with exclusions only", () => {
  expect(canSelectAll(emptySelection)).toBe(true);
  expect(canSelectAll(allSelected)).toBe(false);
  expect(canSelectAll(toggled(allSelected, "a", 5))).toBe(true);
});

test("the header checkbox knows none, some and all", () => {
  const one = toggled(emptySelection, "a", 9);
  expect(pageSelectionState(emptySelection, ["a", "b"])).toBe("none");
  expect(pageSelectionState(one, ["a", "b"])).toBe("some");
  expect(pageSelectionState(one, ["a"])).toBe("all");
  expect(pageSelectionState(allSelected, [])).toBe("none");
});

test("any series of clicks agrees with a naive set of ids", () => {
  const universe = Array.from({ length: 12 }, (_, index) => `id${index}`);
  const ids = fc.subarray(universe);
  const step = fc.oneof(
    fc.record({ kind: fc.constant("toggle" as const), id: fc.constantFrom(...universe) }),
    fc.record({ kind: fc.constant("set" as const), ids, on: fc.boolean() }),
    fc.record({ kind: fc.constant("all" as const) }),
    fc.record({ kind: fc.constant("clear" as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let selection: Selection = emptySelection;
      let oracle = new Set<string>();
      for (const next of steps) {
        if (next.kind === "toggle") {
          selection = toggled(selection, next.id, universe.length);
          if (!oracle.delete(next.id)) oracle.add(next.id);
        } else if (next.kind === "set") {
          selection = withSelected(selection, next.ids, next.on, universe.length);
          for (const id of next.ids) {
            if (next.on) oracle.add(id);
            else oracle.delete(id);
          }
        } else {
          selection = next.kind === "all" ? allSelected : emptySelection;
          oracle = new Set(next.kind === "all" ? universe : []);
        }
        expect(universe.filter((id) => isSelected(selection, id))).toEqual(universe.filter((id) => oracle.has(id)));
        expect(countSelected(selection, universe.length)).toBe(oracle.size);
        if (oracle.size === 0) expect(selection.mode).toBe("page");
      }
    }),
  );
});
