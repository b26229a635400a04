// The head of a table: titles that order it, and the box that selects a page. Drawn again only when one of these changed.
import ArrowDownwardRounded from "~icons/ic/round-arrow-downward";
import ArrowUpwardRounded from "~icons/ic/round-arrow-upward";
import { Box, ButtonBase, TableCell, TableHead, TableRow } from "@mui/material";
import { styled } from "@mui/material/styles";
import {
  type ColumnDef,
  type Header,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { memo, type MouseEvent, type RefObject, useMemo } from "react";
import { visuallyHidden } from "../../visuallyHidden.ts";
import { type Column, extraOf, type Sort } from "../columns.ts";
import type { ListView } from "../listView.ts";
import type { pageState } from "../Selection.ts";
import { RowCheckbox } from "./RowCheckbox.tsx";

const features = tableFeatures({ rowSortingFeature });
const noSort: SortingState = [];
/** Columns and their order are asked of the library; the rows are our own. */
const noRows: never[] = [];

type ListHeadProps<Row> = {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  /** px; undefined where rows have no actions. */
  actionsWidth: number | undefined;
  /** What of the page is selected; `none` where nothing can be. */
  page: ReturnType<typeof pageState> | undefined;
  isEmpty: boolean;
  latest: RefObject<ListView<Row>>;
};

function HeadOf<Row>({ columns: shown, sort, actionsWidth, page, isEmpty, latest }: ListHeadProps<Row>) {
  const columns = useMemo<ColumnDef<typeof features, never>[]>(
    () =>
      shown.map(({ id, header, sortable = false }) => ({
        id,
        header,
        enableSorting: sortable,
        accessorFn: () => null,
        sortDescFirst: false,
      })),
    [shown],
  );
  const sorting = (sort ?? noSort) as SortingState;
  const table = useTable({
    features,
    columns,
    data: noRows,
    manualSorting: true,
    isMultiSortEvent: (event) => (event as MouseEvent).shiftKey,
    state: { sorting },
    onSortingChange: (change) =>
      latest.current.props.onSortChange?.(typeof change === "function" ? change(sorting) : change),
  });
  return (
    <TableHead>
      {table.getHeaderGroups().map((group) => (
        <TableRow key={group.id}>
          {page === undefined ? null : (
            <HeadCell data-select="" sx={{ width: 44, pl: 3, pr: 0 }}>
              <RowCheckbox
                label="Select page"
                checked={page === "all"}
                indeterminate={page === "some"}
                disabled={isEmpty}
                onClick={() => latest.current.onSelectPage(page !== "all")}
              />
            </HeadCell>
          )}
          {group.headers.map((header, index) => (
            <SortableHead key={header.id} header={header} column={shown[index]} sorting={sorting} />
          ))}
          {actionsWidth === undefined ? null : (
            <HeadCell data-actions="" sx={{ width: actionsWidth, right: 0, zIndex: 3 }}>
              <span style={visuallyHidden}>Actions</span>
            </HeadCell>
          )}
        </TableRow>
      ))}
    </TableHead>
  );
}

export const ListHead = memo(HeadOf) as typeof HeadOf;

const HeadCell = styled(TableCell)(({ theme }) => ({
  position: "sticky",
  top: "var(--list-top, var(--sticky-top, 0px))",
  zIndex: 2,
  height: 36,
  backgroundColor: theme.vars.palette.background.paper,
  whiteSpace: "nowrap",
  "@media print": { position: "static", "&[data-select], &[data-actions]": { display: "none" } },
}));

type SortableHeadProps<Row> = {
  header: Header<typeof features, never, unknown>;
  column: Column<Row> | undefined;
  sorting: Sort;
};

function SortableHead<Row>({ header, column, sorting }: SortableHeadProps<Row>) {
  const title = column?.header;
  const index = sorting.findIndex((rule) => rule.id === column?.id);
  const rule = sorting[index];
  const align = column?.numeric === true ? "right" : "left";
  const place = { align, sx: { width: column?.width }, ...extraOf(column ?? {}) } as const;
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
