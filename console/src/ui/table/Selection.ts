// Selected rows as a value with two modes: ids selected page by page, or everything that matches the filters except some.

/** `page`: exactly these ids. `query`: all that the current filters match, except `excluded` (docs/rules/console.md#selection). */
export type Selection =
  | { readonly mode: "page"; readonly ids: ReadonlySet<string> }
  | { readonly mode: "query"; readonly excluded: ReadonlySet<string> };

/** Nothing selected; also the state after a filter change. */
export const emptySelection: Selection = { mode: "page", ids: new Set() };

/** "Select all N": everything that matches the filters, on all pages. */
export const allSelected: Selection = { mode: "query", excluded: new Set() };

export function isSelected(selection: Selection, id: string): boolean {
  return selection.mode === "page" ? selection.ids.has(id) : !selection.excluded.has(id);
}

/** Number of selected rows if `total` match the filters; a batch changes exactly these. */
export function countSelected(selection: Selection, total: number): number {
  return selection.mode === "page" ? selection.ids.size : Math.max(0, total - selection.excluded.size);
}

/** Selects or deselects several rows (a page, a shift-range). Deselecting the last row in query mode returns to page mode. */
export function withSelected(selection: Selection, ids: Iterable<string>, on: boolean, total: number): Selection {
  const next = new Set(selection.mode === "page" ? selection.ids : selection.excluded);
  for (const id of ids) {
    if (on === (selection.mode === "page")) next.add(id);
    else next.delete(id);
  }
  if (selection.mode === "page") return { mode: "page", ids: next };
  return next.size >= total ? emptySelection : { mode: "query", excluded: next };
}

/** State of the header checkbox for one page. */
export function pageSelectionState(selection: Selection, pageIds: readonly string[]): "none" | "some" | "all" {
  const chosen = pageIds.filter((id) => isSelected(selection, id)).length;
  if (chosen === 0) return "none";
  return chosen === pageIds.length ? "all" : "some";
}

/** Whether to offer "Select all": in page mode, or if something is excluded. */
export function canSelectAll(selection: Selection): boolean {
  return selection.mode === "page" || selection.excluded.size > 0;
}
