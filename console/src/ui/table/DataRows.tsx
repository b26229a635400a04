// The table form of a list, on TanStack Table's column and sorting model.
import ArrowDownwardRounded from "@mui/icons-material/ArrowDownwardRounded";
import ArrowUpwardRounded from "@mui/icons-material/ArrowUpwardRounded";
import { Box, ButtonBase, Checkbox, Skeleton, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { styled } from "@mui/material/styles";
import {
  type ColumnDef,
  type Header,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type MouseEvent, useLayoutEffect, useMemo, useRef } from "react";
import { rowHeight, useDensity } from "../../theme/density.tsx";
import type { ListView } from "./listView.ts";
import { Cell, DataRow } from "./DataRow.tsx";
import { isSelected, pageState } from "./Selection.ts";
import type { Column, RowAction, Sort } from "./columns.ts";
import type { PlacedRow } from "./frozenOrder.ts";
import { visuallyHidden } from "../visuallyHidden.ts";

const features = tableFeatures({ rowSortingFeature });
const noSort: SortingState = [];
const noActions: readonly RowAction[] = [];

export function DataRows<Row>({ view }: { view: ListView<Row> }) {
  const { props, placed, focus } = view;
  const latest = useRef(view);
  useLayoutEffect(() => {
    latest.current = view;
  });
  const { density } = useDensity();
  const height = rowHeight(density);
  const columns = useMemo<ColumnDef<typeof features, PlacedRow<Row>>[]>(
    () =>
      props.columns.map(({ id, header, sortable = false }) => ({
        id,
        header,
        enableSorting: sortable,
        accessorFn: () => null,
        sortDescFirst: false,
      })),
    [props.columns],
  );
  const sorting = (props.sort ?? noSort) as SortingState;
  const table = useTable({
    features,
    columns,
    data: placed,
    manualSorting: true,
    isMultiSortEvent: (event) => (event as MouseEvent).shiftKey,
    state: { sorting },
    onSortingChange: (change) => props.onSortChange?.(typeof change === "function" ? change(sorting) : change),
  });
  const { selection } = props;
  const page = selection === undefined ? "none" : pageState(selection, view.pageIds);
  const loading = props.loading === true && placed.length === 0;
  const actionsWidth = 24 + Math.max(32, ...placed.map((each) => widthOf(props.rowActions?.(each.row) ?? [])));
  const widths = [
    ...props.columns.map(({ width }) => (typeof width === "number" ? width : 176)),
    ...(selection === undefined ? [] : [44]),
    ...(props.rowActions === undefined ? [] : [actionsWidth]),
  ];
  const minWidth = widths.reduce((sum, width) => sum + width, 0);
  return (
    <Box sx={{ containerType: "inline-size" }}>
      <Box
        sx={{
          border: 1,
          borderColor: "divider",
          borderRadius: "8px",
          bgcolor: "background.paper",
          // Clips the corners without becoming a scroll box, which would break the sticky header; scrolls only where it must.
          overflow: "clip",
          [`@container (max-width: ${minWidth}px)`]: {
            overflow: "auto hidden",
            // A scroll box has a top of its own.
            "--sticky-top": "0px",
            "& [data-actions]": { boxShadow: "inset 1px 0 var(--mui-palette-divider)" },
          },
        }}
      >
        <Table
          aria-label={props.label}
          aria-busy={props.loading === true}
          sx={{ tableLayout: "fixed", minWidth, borderCollapse: "separate", "--row-height": `${height}px` }}
        >
          <TableHead>
            {table.getHeaderGroups().map((group) => (
              <TableRow key={group.id}>
                {selection === undefined ? null : (
                  <HeadCell sx={{ width: 44, pl: 3, pr: 0 }}>
                    <Checkbox
                      checked={page === "all"}
                      indeterminate={page === "some"}
                      disabled={view.pageIds.length === 0}
                      onChange={() => view.onSelectPage(page !== "all")}
                      slotProps={{ input: { "aria-label": "Select page" } }}
                    />
                  </HeadCell>
                )}
                {group.headers.map((header, index) => (
                  <SortableHead key={header.id} header={header} column={props.columns[index]} sorting={sorting} />
                ))}
                {props.rowActions === undefined ? null : (
                  <HeadCell data-actions="" sx={{ width: actionsWidth, right: 0, zIndex: 3 }}>
                    <span style={visuallyHidden}>Actions</span>
                  </HeadCell>
                )}
              </TableRow>
            ))}
          </TableHead>
          <TableBody>
            {loading
              ? Array.from({ length: props.skeletonRows ?? 8 }, (_, index) => (
                  <TableRow key={index} aria-hidden>
                    {widths.map((_width, cell) => (
                      <Cell key={cell}>
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
                      clickable={props.onRowClick !== undefined}
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

/** px that the buttons of a row need. */
function widthOf(actions: readonly RowAction[]): number {
  return actions.reduce((sum, action) => sum + (action.text === undefined ? 28 : 48 + action.text.length * 8), 0);
}

const HeadCell = styled(TableCell)(({ theme }) => ({
  position: "sticky",
  top: "var(--sticky-top, 0px)",
  zIndex: 2,
  height: 36,
  backgroundColor: theme.vars.palette.background.paper,
  whiteSpace: "nowrap",
}));

type SortableHeadProps<Row> = {
  header: Header<typeof features, PlacedRow<Row>, unknown>;
  column: Column<Row> | undefined;
  sorting: Sort;
};

function SortableHead<Row>({ header, column, sorting }: SortableHeadProps<Row>) {
  const title = column?.header;
  const index = sorting.findIndex((rule) => rule.id === column?.id);
  const rule = sorting[index];
  const place = { align: column?.numeric === true ? "right" : "left", sx: { width: column?.width } } as const;
  if (!header.column.getCanSort()) return <HeadCell {...place}>{title}</HeadCell>;
  const isOneOfSeveral = sorting.length > 1 && index >= 0;
  const Arrow = rule?.desc === true ? ArrowDownwardRounded : ArrowUpwardRounded;
  return (
    <HeadCell {...place} aria-sort={rule === undefined ? "none" : rule.desc ? "descending" : "ascending"}>
      <ButtonBase
        onClick={(event) => header.column.getToggleSortingHandler()?.(event)}
        aria-description={
          isOneOfSeveral ? `Sorted ${index + 1} of ${sorting.length}` : "Shift-click sorts by several columns"
        }
        sx={{
          font: "inherit",
          flexDirection: column?.numeric === true ? "row-reverse" : "row",
          color: rule === undefined ? "inherit" : "text.primary",
          gap: 1,
          mx: -1.5,
          px: 1.5,
          height: 26,
          borderRadius: 1,
          "&:hover": { color: "text.primary", bgcolor: "action.hover" },
          "& .MuiSvgIcon-root": { fontSize: 14, opacity: rule === undefined ? 0 : 1 },
          "&:hover .MuiSvgIcon-root, &:focus-visible .MuiSvgIcon-root": { opacity: rule === undefined ? 0.5 : 1 },
        }}
      >
        {title}
        <Arrow aria-hidden />
        {isOneOfSeveral ? (
          <Box component="span" aria-hidden sx={{ ml: -0.5, fontVariantNumeric: "tabular-nums" }}>
            {index + 1}
          </Box>
        ) : null}
      </ButtonBase>
    </HeadCell>
  );
}
