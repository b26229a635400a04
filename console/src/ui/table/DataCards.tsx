// Lists on phones, with a card per row.
import SwapVertRounded from "~icons/ic/round-swap-vert";
import { Box, Skeleton } from "@mui/material";
import { useDeferredValue, useLayoutEffect, useMemo, useRef } from "react";
import rows from "../theme/rows.module.css";
import { MenuButton } from "../MenuButton.tsx";
import { visuallyHidden } from "../visuallyHidden.ts";
import { DataCard, cardLayout } from "./row/DataCard.tsx";
import type { DataTableProps, ListView } from "./listView.ts";
import { RowCheckbox } from "./row/RowCheckbox.tsx";
import { isSelected, pageSelectionState } from "./Selection.ts";

/** More than fit on the tallest phones. */
const firstCards = 8;

export function DataCards<Row>({ view }: { view: ListView<Row> }) {
  const { props, placed, focus } = view;
  const { selection } = props;
  const latest = useRef(view);
  useLayoutEffect(() => {
    latest.current = view;
  });
  const parts = useMemo(() => cardLayout(props.columns), [props.columns]);
  const loading = props.loading === true && placed.length === 0;
  // Renders the visible cards first and the others in a deferred render; all at once when returning to a row.
  const isFirst = useDeferredValue(placed.length) === 0 && props.returnTo === undefined;
  return (
    <>
      <Box sx={{ display: "flex", alignItems: "center", minHeight: 44, px: 2, "@media print": { display: "none" } }}>
        <SelectPage view={view} />
        <SortMenu {...props} />
      </Box>
      <ul className={rows["cards"]} aria-label={props.label} aria-busy={props.loading === true}>
        {loading
          ? Array.from({ length: props.skeletonRows ?? 8 }, (_, index) => (
              <Box component="li" key={index} aria-hidden sx={{ p: 3 }}>
                <Skeleton width="45%" height={20} />
                <Skeleton width="80%" height={20} sx={{ mt: 0.5 }} />
              </Box>
            ))
          : (isFirst ? placed.slice(0, firstCards) : placed).map(({ row, gone }) => {
              const id = props.rowId(row);
              return (
                <DataCard
                  key={id}
                  id={id}
                  row={row}
                  gone={gone}
                  label={props.rowLabel(row)}
                  layout={parts}
                  chosen={selection === undefined ? undefined : isSelected(selection, id)}
                  href={props.onRowClick === undefined ? undefined : props.rowHref?.(row)}
                  searched={props.searchText ?? ""}
                  tabStop={id === focus.active}
                  actions={gone ? undefined : props.rowActions?.(row)}
                  latest={latest}
                />
              );
            })}
      </ul>
      {loading ? (
        <span role="status" style={visuallyHidden}>
          Loading
        </span>
      ) : null}
    </>
  );
}

function SelectPage<Row>({ view }: { view: ListView<Row> }) {
  const { selection } = view.props;
  if (selection === undefined) return null;
  const page = pageSelectionState(selection, view.pageIds);
  return (
    <Box
      component="label"
      sx={{ display: "flex", alignItems: "center", gap: 2, minHeight: 44, color: "text.secondary" }}
    >
      <RowCheckbox
        checked={page === "all"}
        indeterminate={page === "some"}
        disabled={view.pageIds.length === 0}
        onClick={() => view.onSelectPage(page !== "all")}
      />
      Select page
    </Box>
  );
}

function SortMenu<Row>({ columns, sort: [first] = [], onSortChange }: DataTableProps<Row>) {
  const sortable = columns.filter((column) => column.sortable === true);
  if (sortable.length === 0 || onSortChange === undefined) return null;
  const name = sortable.find((column) => column.id === first?.id)?.header;
  const entries = sortable.flatMap(({ id, header }) =>
    [false, true].map((desc) => ({
      label: `${header}, ${desc ? "descending" : "ascending"}`,
      selected: first?.id === id && first.desc === desc,
      onClick: () => onSortChange([{ id, desc }]),
    })),
  );
  return (
    <MenuButton color="inherit" startIcon={<SwapVertRounded />} entries={entries} sx={{ ml: "auto" }}>
      {name === undefined ? "Sort" : `Sort: ${name}`}
    </MenuButton>
  );
}
