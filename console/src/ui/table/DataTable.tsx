// The console's list: a table on desktops, cards on phones. Sorting, selection and actions work by mouse, keyboard and touch.
import { Box } from "@mui/material";
import { type KeyboardEvent, useDeferredValue, useMemo, useRef, useState } from "react";
import { useIsPhone } from "../theme/theme.ts";
import { DataCards } from "./DataCards.tsx";
import { DataRows } from "./DataRows.tsx";
import { isSelected, withSelected } from "./Selection.ts";
import { useFrozenOrder } from "./frozenOrder.ts";
import { type DataTableProps, type ListView, openRow } from "./listView.ts";
import { useRowFocus } from "./rowFocus.ts";

/**
 * Defers new rows and their state, because rendering fifty rows would block input. The previous rows stay until the new ones are
 * rendered. Other props, such as the selection, apply immediately.
 */
function useDeferredRows<Row>(props: DataTableProps<Row>): DataTableProps<Row> {
  const { rows, loading = false, isPlaceholder = false } = props;
  const order = (props.sort ?? []).map((rule) => `${rule.id}${rule.desc ? "-" : "+"}`).join();
  const viewKey = `${props.viewKey ?? ""}|${order}`;
  const given = useMemo(() => ({ rows, loading, isPlaceholder, viewKey }), [rows, loading, isPlaceholder, viewKey]);
  return { ...props, ...useDeferredValue(given) };
}

/** A controlled component: the page owns the selection and the sort order. */
export function DataTable<Row>(now: DataTableProps<Row>) {
  const props = useDeferredRows(now);
  const { rows, rowId, selection, onSelectionChange, total = rows.length } = props;
  const rootRef = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState(false);
  const phone = useIsPhone();
  const placed = useFrozenOrder(rows, rowId, hovered && props.loading !== true, {
    key: props.viewKey ?? "",
    isPlaceholder: props.isPlaceholder === true,
  });
  const pageIds = useMemo(() => placed.filter((each) => !each.gone).map((each) => rowId(each.row)), [placed, rowId]);
  const focus = useRowFocus(rootRef, pageIds, props.returnTo);
  const anchor = useRef<string | undefined>(undefined);

  const onSelect = (id: string, on: boolean, range: boolean) => {
    if (selection === undefined) return;
    const from = range && anchor.current !== undefined ? pageIds.indexOf(anchor.current) : -1;
    const to = pageIds.indexOf(id);
    const ids = from < 0 || to < 0 ? [id] : pageIds.slice(Math.min(from, to), Math.max(from, to) + 1);
    anchor.current = id;
    onSelectionChange?.(withSelected(selection, ids, on, total));
  };
  const onRowKeyDown = (event: KeyboardEvent<HTMLElement>, row: Row) => {
    const onLink = (event.target as HTMLElement).matches("[data-row-link]");
    if (event.target !== event.currentTarget && !onLink) return;
    const id = rowId(row);
    if (event.key === "Enter" && props.onRowClick !== undefined) {
      // The browser handles Enter on links.
      if (onLink) return;
      event.preventDefault();
      openRow(props, row, event);
    } else if (event.key === " " && selection !== undefined) {
      event.preventDefault();
      onSelect(id, !isSelected(selection, id), event.shiftKey);
    } else {
      const moved = focus.onMove(event, id);
      if (moved !== undefined && event.shiftKey && selection !== undefined) {
        anchor.current ??= id;
        onSelectionChange?.(withSelected(selection, [id, moved], true, total));
      }
    }
  };
  const view: ListView<Row> = {
    props,
    placed,
    focus,
    pageIds,
    onSelect,
    onRowKeyDown,
    onSelectPage: (on) => {
      if (selection !== undefined) onSelectionChange?.(withSelected(selection, pageIds, on, total));
    },
  };
  const empty = props.loading !== true && placed.length === 0 && props.empty !== undefined;
  return (
    <Box
      ref={rootRef}
      onPointerMove={(event) => {
        if (event.pointerType === "touch") return;
        const over = (event.target as HTMLElement).closest("[data-row-id]") !== null;
        if (over !== hovered) setHovered(over);
      }}
      onPointerLeave={() => setHovered(false)}
      sx={{ minWidth: 0 }}
    >
      {empty ? props.empty : phone ? <DataCards view={view} /> : <DataRows view={view} />}
    </Box>
  );
}
