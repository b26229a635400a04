// A table row. Memoized, so that selecting a row or a live update of one sensor doesn't re-render the others.
import { type ComponentProps, memo, type MouseEvent, type RefObject } from "react";
import rows from "../../theme/rows.module.css";
import { Ellipsis } from "../../Ellipsis.tsx";
import { SearchTextContext } from "../../SearchHighlight.tsx";
import { RowCheckbox } from "./RowCheckbox.tsx";
import { RowActions } from "./RowActions.tsx";
import { RowLink } from "./RowLink.tsx";
import { RowTabIndex } from "./rowTabIndex.ts";
import { type Column, narrowHiddenProps, type RowAction } from "../columns.ts";
import { withLatestHandler, areRowPropsEqual } from "./memoizedRow.ts";
import { type ListView, openRow } from "../listView.ts";

export const Cell = (props: ComponentProps<"td">) => <td className={rows["cell"]} {...props} />;

type DataRowProps<Row> = {
  id: string;
  row: Row;
  /** Whether the row has left the list, but is still shown while the pointer is over the list. */
  gone: boolean;
  label: string;
  columns: readonly Column<Row>[];
  /** Undefined if rows can't be selected. */
  chosen: boolean | undefined;
  clickable: boolean;
  href: string | undefined;
  /** Search text to highlight in the row's name. */
  searched: string;
  /** True for the only row in the tab order. */
  tabStop: boolean;
  /** Undefined if no row has actions. */
  actions: readonly RowAction[] | undefined;
  /** Read in event handlers, so that new closures of the page don't re-render the row. */
  latest: RefObject<ListView<Row>>;
};

function Row<Of>({ id, row, gone, columns, chosen, tabStop, actions, latest, href, ...props }: DataRowProps<Of>) {
  const tabIndex = tabStop ? 0 : -1;
  return (
    <tr
      className={rows["row"]}
      data-row-id={id}
      {...(gone ? { "data-gone": "", "aria-disabled": true } : { tabIndex })}
      {...(props.clickable && !gone ? { "data-clickable": "" } : {})}
      {...(chosen === undefined ? {} : { "aria-selected": chosen })}
      onFocus={() => latest.current.focus.onRowFocus(id)}
      onKeyDown={(event) => latest.current.onRowKeyDown(event, row)}
      onClick={(event) => {
        if (!gone && !clickedInside(event)) openRow(latest.current.props, row, event);
      }}
    >
      {chosen === undefined ? null : (
        <Cell data-select="" onClick={(event) => event.stopPropagation()}>
          <RowCheckbox
            label={`Select ${props.label}`}
            checked={chosen}
            disabled={gone}
            tabIndex={tabIndex}
            onClick={(event) => latest.current.onSelect(id, !chosen, event.shiftKey)}
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
            {...narrowHiddenProps(column)}
          >
            <RowTabIndex value={tabIndex}>
              {index > 0 ? (
                <Ellipsis>{content}</Ellipsis>
              ) : (
                <div className={rows["named"]}>
                  {column.before?.(row)}
                  <SearchTextContext value={props.searched}>
                    {href === undefined || gone ? (
                      <Ellipsis>{content}</Ellipsis>
                    ) : (
                      <RowLink
                        variant="row"
                        href={href}
                        tabIndex={tabIndex}
                        onOpen={() => latest.current.props.onRowClick?.(row)}
                      >
                        {content}
                      </RowLink>
                    )}
                  </SearchTextContext>
                </div>
              )}
            </RowTabIndex>
          </Cell>
        );
      })}
      {actions === undefined ? null : (
        <Cell data-actions="">
          {gone ? null : (
            <RowActions actions={actions.map((action) => withLatestHandler(action, row, latest))} tabIndex={tabIndex} />
          )}
        </Cell>
      )}
    </tr>
  );
}

export const DataRow = memo(Row, areRowPropsEqual) as typeof Row;

/** Whether a click was on a control in a cell, or selected text. Such clicks must not open the row. */
function clickedInside(event: MouseEvent<HTMLElement>): boolean {
  if (event.defaultPrevented) return true;
  const target = event.target as HTMLElement;
  const inner = target.closest("a, button, input, label, [role=button]");
  return (inner !== null && event.currentTarget.contains(inner)) || (window.getSelection()?.toString() ?? "") !== "";
}
