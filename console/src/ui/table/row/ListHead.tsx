// Table header: sortable titles, and the checkbox that selects the page. Memoized.
import ArrowDownwardRounded from "~icons/ic/round-arrow-downward";
import ArrowUpwardRounded from "~icons/ic/round-arrow-upward";
import { Box, ButtonBase, TableCell, TableHead, TableRow } from "@mui/material";
import { styled } from "@mui/material/styles";
import { memo, type RefObject } from "react";
import { visuallyHidden } from "../../visuallyHidden.ts";
import { type Column, narrowHiddenProps, nextSort, type Sort } from "../columns.ts";
import type { ListView } from "../listView.ts";
import type { pageSelectionState } from "../Selection.ts";
import { RowCheckbox } from "./RowCheckbox.tsx";

const noSort: Sort = [];

type ListHeadProps<Row> = {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  /** px; undefined if rows have no actions. */
  actionsWidth: number | undefined;
  /** Selection state of the page; undefined if rows can't be selected. */
  page: ReturnType<typeof pageSelectionState> | undefined;
  isEmpty: boolean;
  latest: RefObject<ListView<Row>>;
};

function HeadOf<Row>({ columns, sort = noSort, actionsWidth, page, isEmpty, latest }: ListHeadProps<Row>) {
  const toggle = (id: string, adds: boolean) => latest.current.props.onSortChange?.(nextSort(sort, id, adds));
  return (
    <TableHead>
      <TableRow>
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
        {columns.map((column) => (
          <SortableHead key={column.id} column={column} sort={sort} onToggle={toggle} />
        ))}
        {actionsWidth === undefined ? null : (
          <HeadCell data-actions="" sx={{ width: actionsWidth, right: 0, zIndex: 3 }}>
            <span style={visuallyHidden}>Actions</span>
          </HeadCell>
        )}
      </TableRow>
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

type SortableHeadProps<Row> = { column: Column<Row>; sort: Sort; onToggle: (id: string, adds: boolean) => void };

function SortableHead<Row>({ column, sort, onToggle }: SortableHeadProps<Row>) {
  const { id, header, numeric = false, sortable = false, width } = column;
  const index = sort.findIndex((rule) => rule.id === id);
  const rule = sort[index];
  const place = { align: numeric ? "right" : "left", sx: { width }, ...narrowHiddenProps(column) } as const;
  if (!sortable) return <HeadCell {...place}>{header}</HeadCell>;
  const isOneOfSeveral = sort.length > 1 && index >= 0;
  const Arrow = rule?.desc === true ? ArrowDownwardRounded : ArrowUpwardRounded;
  return (
    <HeadCell {...place} aria-sort={rule === undefined ? "none" : rule.desc ? "descending" : "ascending"}>
      <ButtonBase
        onClick={(event) => onToggle(id, event.shiftKey)}
        aria-description={
          isOneOfSeveral ? `Sorted ${index + 1} of ${sort.length}` : "Shift-click to sort by several columns"
        }
        sx={{
          font: "inherit",
          flexDirection: numeric ? "row-reverse" : "row",
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
        {header}
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
