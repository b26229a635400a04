// A row on phones: a card with name and state above further facts. Memoized like a table row.
import { memo, type RefObject } from "react";
import rows from "../../theme/rows.module.css";
import { SearchTextContext } from "../../SearchHighlight.tsx";
import { visuallyHidden } from "../../visuallyHidden.ts";
import type { Column, RowAction } from "../columns.ts";
import { withLatestHandler, areRowPropsEqual } from "./memoizedRow.ts";
import type { ListView } from "../listView.ts";
import { RowActions } from "./RowActions.tsx";
import { RowCheckbox } from "./RowCheckbox.tsx";
import { RowLink } from "./RowLink.tsx";
import { RowTabIndex } from "./rowTabIndex.ts";

type CardLayout<Row> = {
  title: Column<Row> | undefined;
  state: Column<Row> | undefined;
  facts: readonly Column<Row>[];
};

export function cardLayout<Row>(columns: readonly Column<Row>[]): CardLayout<Row> {
  const title = columns.find(({ onPhone }) => onPhone === "title") ?? columns[0];
  const state = columns.find(({ onPhone }) => onPhone === "state");
  const facts = columns.filter((column) => column !== title && column !== state && column.onPhone !== "none");
  return { title, state, facts };
}

type DataCardProps<Row> = {
  id: string;
  row: Row;
  /** Whether the row has left the list, but is still shown to keep the order of the others. */
  gone: boolean;
  label: string;
  layout: CardLayout<Row>;
  /** Undefined if rows can't be selected. */
  chosen: boolean | undefined;
  href: string | undefined;
  searched: string;
  /** True for the only card in the tab order. */
  tabStop: boolean;
  actions: readonly RowAction[] | undefined;
  /** Read in event handlers, so that new closures of the page don't re-render the card. */
  latest: RefObject<ListView<Row>>;
};

function Card<Of>({ id, row, gone, label, chosen, href, searched, tabStop, latest, ...props }: DataCardProps<Of>) {
  const { title, state, facts } = props.layout;
  const actions = props.actions ?? [];
  // Cards omit missing values; only tables show a dash.
  const said = facts.flatMap((column) => {
    const value = column.cell(row);
    return value === "-" || value === "–" ? [] : [{ ...column, value }];
  });
  const tabIndex = tabStop ? 0 : -1;
  return (
    <RowTabIndex value={tabIndex}>
      <li
        className={rows["card"]}
        data-row-id={id}
        {...(chosen === true && { "data-chosen": "" })}
        {...(gone && { "data-gone": "" })}
      >
        {chosen === undefined ? null : (
          <label className={rows["checkArea"]}>
            <RowCheckbox
              label={`Select ${label}`}
              checked={chosen}
              disabled={gone}
              tabIndex={tabIndex}
              onClick={(event) => latest.current.onSelect(id, !chosen, event.shiftKey)}
            />
          </label>
        )}
        <div className={rows["cardBody"]}>
          <div className={rows["head"]} style={{ paddingRight: actions.length * 44 }}>
            <div className={rows["title"]}>
              {title?.before === undefined ? null : <span>{title.before(row)} </span>}
              <SearchTextContext value={searched}>
                {href === undefined || gone ? (
                  title?.cell(row)
                ) : (
                  <RowLink
                    variant="card"
                    href={href}
                    tabIndex={tabIndex}
                    onFocus={() => latest.current.focus.onRowFocus(id)}
                    onKeyDown={(event) => latest.current.onRowKeyDown(event, row)}
                    onOpen={() => latest.current.props.onRowClick?.(row)}
                  >
                    {title?.cell(row)}
                  </RowLink>
                )}
              </SearchTextContext>
            </div>
            {state === undefined ? null : <span>{state.cell(row)}</span>}
          </div>
          <dl className={rows["facts"]}>
            {said.map(({ id: column, header, onPhone, numeric, value }) => (
              <div key={column}>
                <dt style={onPhone === "labeled" ? {} : visuallyHidden}>{header}</dt>{" "}
                <dd {...(numeric === true ? { "data-numeric": "" } : {})}>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
        {actions.length === 0 ? null : (
          <div className={rows["cardActions"]}>
            <RowActions actions={actions.map((action) => withLatestHandler(action, row, latest))} tabIndex={tabIndex} />
          </div>
        )}
      </li>
    </RowTabIndex>
  );
}

export const DataCard = memo(Card, areRowPropsEqual) as typeof Card;
