// Lists as tables.
import { Box, Skeleton, Table, TableBody, TableRow, useMediaQuery } from "@mui/material";
import { useLayoutEffect, useRef } from "react";
import { rowHeight, useDensity } from "../theme/density.tsx";
import type { ListView } from "./listView.ts";
import { Cell, DataRow } from "./row/DataRow.tsx";
import { ListHead } from "./row/ListHead.tsx";
import { isSelected, pageSelectionState } from "./Selection.ts";
import { type Column, narrowHiddenProps, type RowAction } from "./columns.ts";
import { visuallyHidden } from "../visuallyHidden.ts";

const noActions: readonly RowAction[] = [];
const leftOut = { "& [data-extra]": { display: "none" } };
const shownAgain = { "& [data-extra]": { display: "table-cell !important" } };

export function DataRows<Row>({ view }: { view: ListView<Row> }) {
  const { props, placed, focus } = view;
  const latest = useRef(view);
  useLayoutEffect(() => {
    latest.current = view;
  });
  const { density } = useDensity();
  const height = rowHeight(density);
  const { selection } = props;
  const page = selection === undefined ? undefined : pageSelectionState(selection, view.pageIds);
  const loading = props.loading === true && placed.length === 0;
  const iconWidth = useMediaQuery("(pointer: coarse)", { noSsr: true }) ? 46 : 28;
  const actionsWidth =
    24 + Math.max(32, ...placed.map((each) => widthOf(props.rowActions?.(each.row) ?? [], iconWidth)));
  const besides = (selection === undefined ? 0 : 44) + (props.rowActions === undefined ? 0 : actionsWidth);
  const widthFor = (columns: readonly Column<Row>[]) =>
    columns.reduce((sum, { width, minWidth = 176 }) => sum + (typeof width === "number" ? width : minWidth), besides);
  const fullWidth = widthFor(props.columns);
  const minWidth = widthFor(props.columns.filter(({ onNarrow }) => onNarrow === undefined));
  const skeletons = [
    ...(selection === undefined ? [] : [{}]),
    ...props.columns.map(narrowHiddenProps),
    ...(props.rowActions === undefined ? [] : [{}]),
  ];
  return (
    <Box sx={{ containerType: "inline-size" }}>
      <Box
        sx={{
          border: 1,
          borderColor: "divider",
          borderRadius: "8px",
          bgcolor: "background.paper",
          // Clips the corners without becoming a scroll container, which would break the sticky header; scrolls only if
          // necessary.
          overflow: "clip",
          ...(minWidth === fullWidth ? {} : { [`@container (max-width: ${fullWidth}px)`]: leftOut }),
          [`@container (max-width: ${minWidth}px)`]: {
            overflow: "auto hidden",
            // In a scroll container, the header sticks to the top of the container.
            "--list-top": "0px",
            "& [data-actions]": { boxShadow: "inset 1px 0 var(--mui-palette-divider)" },
          },
          "@media print": { overflow: "visible", border: 0, "& table": { minWidth: "0 !important" }, ...shownAgain },
        }}
      >
        <Table
          aria-label={props.label}
          aria-busy={props.loading === true}
          sx={{ tableLayout: "fixed", minWidth, borderCollapse: "separate", "--row-height": `${height}px` }}
        >
          <ListHead
            columns={props.columns}
            sort={props.sort}
            actionsWidth={props.rowActions === undefined ? undefined : actionsWidth}
            page={page}
            isEmpty={view.pageIds.length === 0}
            latest={latest}
          />
          <TableBody>
            {loading
              ? Array.from({ length: props.skeletonRows ?? 8 }, (_, index) => (
                  <TableRow key={index} aria-hidden>
                    {skeletons.map((extra, cell) => (
                      <Cell key={cell} {...extra}>
                        <Skeleton width={`${45 + ((index * 7 + cell * 23) % 45)}%`} height={16} />
                      </Cell>
                    ))}
                  </TableRow>
                ))
              : placed.map(({ row, gone }) => {
                  const id = props.rowId(row);
                  return (
                    <DataRow
                      key={id}
                      id={id}
                      row={row}
                      gone={gone}
                      label={props.rowLabel(row)}
                      columns={props.columns}
                      chosen={selection === undefined ? undefined : isSelected(selection, id)}
                      clickable={props.onRowClick !== undefined && (!props.rowHref || props.rowHref(row) !== undefined)}
                      href={props.rowHref?.(row)}
                      searched={props.searchText ?? ""}
                      tabStop={id === focus.active}
                      actions={gone && props.rowActions !== undefined ? noActions : props.rowActions?.(row)}
                      latest={latest}
                    />
                  );
                })}
          </TableBody>
        </Table>
      </Box>
      {loading ? (
        <span role="status" style={visuallyHidden}>
          Loading
        </span>
      ) : null}
    </Box>
  );
}

/** Width (px) of a row's buttons. */
function widthOf(actions: readonly RowAction[], iconWidth: number): number {
  return actions.reduce(
    (sum, action) => sum + (action.text === undefined ? iconWidth : 48 + action.text.length * 8),
    0,
  );
}
