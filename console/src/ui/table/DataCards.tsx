// The phone form of a list: one card per row with the same information in the same order.
import SwapVertRounded from "@mui/icons-material/SwapVertRounded";
import { Box, Checkbox, Skeleton } from "@mui/material";
import { styled } from "@mui/material/styles";
import { MenuButton } from "../MenuButton.tsx";
import { visuallyHidden } from "../visuallyHidden.ts";
import type { Column } from "./columns.ts";
import type { PlacedRow } from "./frozenOrder.ts";
import type { DataTableProps, ListView } from "./listView.ts";
import { RowActions } from "./RowActions.tsx";
import { isSelected, pageState } from "./Selection.ts";

/** The title opens the row; its area is the whole card, below links and actions. */
const OpenButton = styled("button")({
  font: "inherit",
  color: "inherit",
  textAlign: "left",
  maxWidth: "100%",
  background: "none",
  border: 0,
  padding: 0,
  cursor: "pointer",
  "&::after": { content: '""', position: "absolute", inset: 0 },
  "&:focus-visible": { outline: "none" },
  "&:focus-visible::after": { outline: "2px solid var(--mui-palette-primary-main)", outlineOffset: -2 },
});

const Cards = styled("ul")(({ theme }) => ({
  listStyle: "none",
  margin: 0,
  padding: 0,
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 8,
  backgroundColor: theme.vars.palette.background.paper,
  overflow: "clip",
  "& > li + li": { borderTop: `1px solid ${theme.vars.palette.divider}` },
}));

const CardItem = styled("li")(({ theme }) => ({
  display: "flex",
  position: "relative",
  gap: theme.spacing(1),
  minHeight: 44,
  "&[data-chosen]": { backgroundColor: theme.vars.palette.action.selected },
  "&[data-gone]": { opacity: 0.45, textDecoration: "line-through" },
}));

const CheckArea = styled("label")({
  display: "grid",
  placeItems: "center",
  position: "relative",
  zIndex: 1,
  width: 44,
  minHeight: 44,
  alignSelf: "flex-start",
  flex: "none",
});

const Title = styled("div")({
  fontWeight: 600,
  // A name is never cut where it heads the card.
  "& span": { whiteSpace: "normal", overflow: "visible" },
  overflowWrap: "anywhere",
  minHeight: 20,
});

const Facts = styled("dl")(({ theme }) => ({
  margin: theme.spacing(1, 0, 0),
  display: "grid",
  gridTemplateColumns: "minmax(88px, auto) 1fr",
  gap: theme.spacing(1, 3),
  "& dt": { color: theme.vars.palette.text.secondary },
  "& dd": { margin: 0, minWidth: 0, overflowWrap: "anywhere", fontVariantNumeric: "tabular-nums" },
  // What a row cuts on one line a card has room for.
  "& a": {
    position: "relative",
    zIndex: 1,
    display: "inline-block",
    whiteSpace: "normal",
    padding: "3px 0",
    margin: "-3px 0",
  },
}));

export function DataCards<Row>({ view }: { view: ListView<Row> }) {
  const { props, placed } = view;
  const shown = props.columns.filter((column) => column.notOnPhone !== true);
  const title = shown.find((column) => column.cardTitle === true) ?? shown[0];
  const others = shown.filter((column) => column !== title);
  const loading = props.loading === true && placed.length === 0;
  return (
    <>
      <Box sx={{ display: "flex", alignItems: "center", minHeight: 44, px: 2 }}>
        <SelectPage view={view} />
        <SortMenu {...props} />
      </Box>
      <Cards aria-label={props.label} aria-busy={props.loading === true}>
        {loading
          ? Array.from({ length: props.skeletonRows ?? 8 }, (_, index) => (
              <Box component="li" key={index} aria-hidden sx={{ p: 3 }}>
                <Skeleton width="45%" height={20} />
                {others.map((column) => (
                  <Skeleton key={column.id} width="80%" height={20} />
                ))}
              </Box>
            ))
          : placed.map((each) => (
              <DataCard key={props.rowId(each.row)} view={view} placed={each} title={title} others={others} />
            ))}
      </Cards>
      {loading ? (
        <span role="status" style={visuallyHidden}>
          Loading
        </span>
      ) : null}
    </>
  );
}

type DataCardProps<Row> = {
  view: ListView<Row>;
  placed: PlacedRow<Row>;
  title: Column<Row> | undefined;
  others: readonly Column<Row>[];
};

function DataCard<Row>({ view, placed: { row, gone }, title, others }: DataCardProps<Row>) {
  const { selection, rowId, rowLabel, rowActions, onRowClick: open } = view.props;
  const id = rowId(row);
  const chosen = selection !== undefined && isSelected(selection, id);
  const actions = gone ? [] : (rowActions?.(row) ?? []);
  return (
    <CardItem data-row-id={id} {...(chosen && { "data-chosen": "" })} {...(gone && { "data-gone": "" })}>
      {selection === undefined ? null : (
        <CheckArea>
          <Checkbox
            checked={chosen}
            disabled={gone}
            onClick={(event) => view.onSelect(id, !chosen, event.shiftKey)}
            slotProps={{ input: { "aria-label": `Select ${rowLabel(row)}`, readOnly: true } }}
          />
        </CheckArea>
      )}
      <Box sx={{ flex: 1, minWidth: 0, py: 3, pl: selection === undefined ? 3 : 0 }}>
        <Title sx={{ pr: actions.length === 0 ? 3 : actions.length * 11 + 2 }}>
          {open === undefined || gone ? (
            title?.cell(row)
          ) : (
            <OpenButton
              type="button"
              data-row-focus=""
              onFocus={() => view.focus.onRowFocus(id)}
              onClick={() => open(row)}
            >
              {title?.cell(row)}
            </OpenButton>
          )}
        </Title>
        <Facts>
          {others.map((column) => (
            <Box key={column.id} sx={{ display: "contents" }}>
              <dt>{column.header}</dt>
              <dd>{column.cell(row)}</dd>
            </Box>
          ))}
        </Facts>
      </Box>
      {actions.length === 0 ? null : (
        <Box sx={{ position: "absolute", zIndex: 1, right: 2, top: 0 }}>
          <RowActions actions={actions} />
        </Box>
      )}
    </CardItem>
  );
}

function SelectPage<Row>({ view }: { view: ListView<Row> }) {
  const { selection } = view.props;
  if (selection === undefined) return null;
  const page = pageState(selection, view.pageIds);
  return (
    <Box
      component="label"
      sx={{ display: "flex", alignItems: "center", gap: 2, minHeight: 44, color: "text.secondary" }}
    >
      <Checkbox
        checked={page === "all"}
        indeterminate={page === "some"}
        disabled={view.pageIds.length === 0}
        onChange={() => view.onSelectPage(page !== "all")}
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
