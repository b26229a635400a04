// One row of a table. It is drawn again only when something of it changed: ticking a box, or a message about one sensor,
// leaves the other rows alone.
import { Checkbox } from "@mui/material";
import { styled } from "@mui/material/styles";
import { memo, type MouseEvent, type RefObject } from "react";
import { Ellipsis } from "../Ellipsis.tsx";
import { RowActions } from "./RowActions.tsx";
import type { Column, RowAction } from "./columns.ts";
import type { ListView } from "./listView.ts";

// Plain elements with one style each: a page of fifty rows has four hundred cells, and a component of the kit for each costs
// more than everything in them.
export const Cell = styled("td")(({ theme }) => ({
  ...theme.typography.body2,
  height: "var(--row-height)",
  padding: theme.spacing(0, 3),
  overflow: "hidden",
  textAlign: "left",
  color: theme.vars.palette.text.primary,
  borderBottom: `1px solid ${theme.vars.palette.divider}`,
  fontVariantNumeric: "tabular-nums",
  "&[data-select]": { paddingRight: 0, overflow: "visible" },
  "&[data-first]": { fontWeight: 600 },
  "&[data-numeric], &[data-actions]": { textAlign: "right" },
  "&[data-actions]": { overflow: "visible" },
}));

const ListRow = styled("tr")(({ theme }) => ({
  backgroundColor: theme.vars.palette.background.paper,
  // Where the table must scroll sideways the actions stay in reach.
  "& > td[data-actions]": { position: "sticky", right: 0, backgroundColor: "inherit" },
  "&[data-clickable]": { cursor: "pointer" },
  "&:hover": { backgroundColor: theme.vars.palette.action.hover },
  '&[aria-selected="true"]': { backgroundColor: theme.vars.palette.action.selected },
  "&[data-gone]": { opacity: 0.45, cursor: "default", textDecoration: "line-through" },
  "&:focus-visible": { outline: `2px solid ${theme.vars.palette.primary.main}`, outlineOffset: "-2px" },
  "@media (hover: hover) and (pointer: fine)": {
    "& [data-row-actions]": { opacity: 0 },
    "&:hover [data-row-actions], &:focus-within [data-row-actions], &:focus [data-row-actions]": { opacity: 1 },
  },
  "&:last-child > td": { borderBottom: 0 },
}));

type DataRowProps<Row> = {
  id: string;
  row: Row;
  /** It left the list while the pointer held it in place. */
  gone: boolean;
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined where nothing can be chosen. */
  chosen: boolean | undefined;
  clickable: boolean;
  /** Only one row is in the tab order. */
  tabStop: boolean;
  /** Undefined where no row has any. */
  actions: readonly RowAction[] | undefined;
  /** Asked when something happens, so that new closures of the page need no new row. */
  latest: RefObject<ListView<Row>>;
};

function Row<Of>({ id, row, gone, columns, chosen, tabStop, actions, latest, ...props }: DataRowProps<Of>) {
  const tabIndex = tabStop ? 0 : -1;
  return (
    <ListRow
      data-row-id={id}
      {...(gone ? { "data-gone": "", "aria-disabled": true } : { tabIndex })}
      {...(props.clickable && !gone ? { "data-clickable": "" } : {})}
      {...(chosen === undefined ? {} : { "aria-selected": chosen })}
      onFocus={() => latest.current.focus.onRowFocus(id)}
      onKeyDown={(event) => latest.current.onRowKeyDown(event, row)}
      onClick={(event) => {
        if (!gone && !clickedInside(event)) latest.current.props.onRowClick?.(row);
      }}
    >
      {chosen === undefined ? null : (
        <Cell data-select="" onClick={(event) => event.stopPropagation()}>
          <Checkbox
            checked={chosen}
            disabled={gone}
            onClick={(event) => latest.current.onSelect(id, !chosen, event.shiftKey)}
            slotProps={{ input: { "aria-label": `Select ${props.label}`, tabIndex, readOnly: true } }}
          />
        </Cell>
      )}
      {columns.map((column, index) => {
        const content = column.cell(row);
        return (
          <Cell
            key={column.id}
            {...(index === 0 ? { "data-first": "" } : {})}
            {...(column.numeric === true ? { "data-numeric": "" } : {})}
          >
            {typeof content === "string" ? <Ellipsis>{content}</Ellipsis> : content}
          </Cell>
        );
      })}
      {actions === undefined ? null : (
        <Cell data-actions="">
          {gone ? null : (
            <RowActions actions={actions.map((action) => current(action, row, latest))} tabIndex={tabIndex} />
          )}
        </Cell>
      )}
    </ListRow>
  );
}

/** The action as the page means it when it is clicked, not when the row was drawn. */
function current<Of>(action: RowAction, row: Of, latest: RefObject<ListView<Of>>): RowAction {
  const onClick = () =>
    latest.current.props
      .rowActions?.(row)
      .find(({ label }) => label === action.label)
      ?.onClick();
  return { ...action, onClick };
}

export const DataRow = memo(Row, ({ actions, ...before }, { actions: now, ...after }) => {
  const keys = Object.keys(before) as (keyof typeof before)[];
  return keys.every((key) => before[key] === after[key]) && looksSame(actions, now);
}) as typeof Row;

const actionParts = ["label", "text", "danger", "disabledReason"] as const;

function looksSame(before: readonly RowAction[] | undefined, now: readonly RowAction[] | undefined): boolean {
  if (before === now) return true;
  if (before === undefined || before.length !== now?.length) return false;
  return before.every((action, index) => actionParts.every((part) => action[part] === now[index]?.[part]));
}

/** Links and buttons in a cell, and text being selected, are not row clicks. */
function clickedInside(event: MouseEvent<HTMLElement>): boolean {
  if (event.defaultPrevented) return true;
  const target = event.target as HTMLElement;
  const inner = target.closest("a, button, input, label, [role=button]");
  return (inner !== null && event.currentTarget.contains(inner)) || (window.getSelection()?.toString() ?? "") !== "";
}
