// The phone form of a list: one card per row with the same information in the same order.
import SwapVertRounded from "@mui/icons-material/SwapVertRounded";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import Skeleton from "@mui/material/Skeleton";
import { styled } from "@mui/material/styles";
import { useState } from "react";
import type { ListView } from "./listView.ts";
import { RowActions } from "./RowActions.tsx";
import { isSelected, pageState } from "./Selection.ts";
import { visuallyHidden } from "../visuallyHidden.ts";
import type { Column, Sort } from "./columns.ts";

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

export function DataCards<Row>({ view }: { view: ListView<Row> }) {
  const { props, placed } = view;
  const { selection } = props;
  const page = selection === undefined ? "none" : pageState(selection, view.pageIds);
  const shown = props.columns.filter((column) => column.notOnPhone !== true);
  const title = shown.find((column) => column.cardTitle === true) ?? shown[0];
  const others = shown.filter((column) => column !== title);
  const loading = props.loading === true && placed.length === 0;
  return (
    <>
      <Box sx={{ display: "flex", alignItems: "center", minHeight: 44, px: 2 }}>
        {selection === undefined ? null : (
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
        )}
        <SortMenu
          columns={props.columns}
          sort={props.sort ?? []}
          {...(props.onSortChange === undefined ? {} : { onChange: props.onSortChange })}
        />
      </Box>
      <Box
        component="ul"
        aria-label={props.label}
        aria-busy={props.loading === true}
        sx={{
          listStyle: "none",
          m: 0,
          p: 0,
          border: 1,
          borderColor: "divider",
          borderRadius: "8px",
          bgcolor: "background.paper",
          overflow: "clip",
        }}
      >
        {loading
          ? Array.from({ length: props.skeletonRows ?? 8 }, (_, index) => (
              <Box
                component="li"
                key={index}
                aria-hidden
                sx={{ p: 3, "& + &": { borderTop: 1, borderColor: "divider" } }}
              >
                <Skeleton width="45%" height={20} />
                {others.map((column) => (
                  <Skeleton key={column.id} width="80%" height={20} />
                ))}
              </Box>
            ))
          : placed.map(({ row, gone }) => {
              const id = props.rowId(row);
              const chosen = selection !== undefined && isSelected(selection, id);
              const actions = gone ? [] : (props.rowActions?.(row) ?? []);
              const open = props.onRowClick;
              return (
                <Box
                  component="li"
                  key={id}
                  data-row-id={id}
                  sx={{
                    display: "flex",
                    position: "relative",
                    gap: 1,
                    minHeight: 44,
                    "& + &": { borderTop: 1, borderColor: "divider" },
                    ...(chosen ? { bgcolor: "action.selected" } : {}),
                    ...(gone ? { opacity: 0.45, textDecoration: "line-through" } : {}),
                  }}
                >
                  {selection === undefined ? null : (
                    <Box
                      component="label"
                      sx={{
                        display: "grid",
                        placeItems: "center",
                        position: "relative",
                        zIndex: 1,
                        width: 44,
                        minHeight: 44,
                        alignSelf: "flex-start",
                        flex: "none",
                      }}
                    >
                      <Checkbox
                        checked={chosen}
                        disabled={gone}
                        onClick={(event) => view.onSelect(id, !chosen, event.shiftKey)}
                        slotProps={{ input: { "aria-label": `Select ${props.rowLabel(row)}`, readOnly: true } }}
                      />
                    </Box>
                  )}
                  <Box sx={{ flex: 1, minWidth: 0, py: 3, pl: selection === undefined ? 3 : 0 }}>
                    <Box
                      sx={{
                        fontWeight: 600,
                        // A name is never cut where it heads the card.
                        "& span": { whiteSpace: "normal", overflow: "visible" },
                        overflowWrap: "anywhere",
                        minHeight: 20,
                        pr: actions.length === 0 ? 3 : actions.length * 11 + 2,
                      }}
                    >
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
                    </Box>
                    <Box
                      component="dl"
                      sx={{
                        m: 0,
                        mt: 1,
                        display: "grid",
                        gridTemplateColumns: "minmax(88px, auto) 1fr",
                        columnGap: 3,
                        rowGap: 1,
                      }}
                    >
                      {others.map((column) => (
                        <Box key={column.id} sx={{ display: "contents" }}>
                          <Box component="dt" sx={{ color: "text.secondary" }}>
                            {column.header}
                          </Box>
                          <Box
                            component="dd"
                            sx={{
                              m: 0,
                              minWidth: 0,
                              overflowWrap: "anywhere",
                              fontVariantNumeric: "tabular-nums",
                              "& a": {
                                position: "relative",
                                zIndex: 1,
                                display: "inline-block",
                                // What a row cuts on one line a card has room for.
                                whiteSpace: "normal",
                                py: "3px",
                                my: "-3px",
                              },
                            }}
                          >
                            {column.cell(row)}
                          </Box>
                        </Box>
                      ))}
                    </Box>
                  </Box>
                  {actions.length === 0 ? null : (
                    <Box sx={{ position: "absolute", zIndex: 1, right: 2, top: 0 }}>
                      <RowActions actions={actions} />
                    </Box>
                  )}
                </Box>
              );
            })}
      </Box>
      {loading ? (
        <span role="status" style={visuallyHidden}>
          Loading
        </span>
      ) : null}
    </>
  );
}

function SortMenu<Row>(props: { columns: readonly Column<Row>[]; sort: Sort; onChange?: (sort: Sort) => void }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const sortable = props.columns.filter((column) => column.sortable === true);
  const { onChange } = props;
  if (sortable.length === 0 || onChange === undefined) return null;
  const first = props.sort[0];
  const name = sortable.find((column) => column.id === first?.id)?.header;
  return (
    <>
      <Button
        color="inherit"
        startIcon={<SwapVertRounded />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
        sx={{ ml: "auto" }}
      >
        {name === undefined ? "Sort" : `Sort: ${name}`}
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {sortable.flatMap((column) =>
          [false, true].map((desc) => (
            <MenuItem
              key={`${column.id}${desc ? "-" : "+"}`}
              selected={first?.id === column.id && first.desc === desc}
              onClick={() => {
                setAnchor(null);
                onChange([{ id: column.id, desc }]);
              }}
            >
              {`${column.header}, ${desc ? "descending" : "ascending"}`}
            </MenuItem>
          )),
        )}
      </Menu>
    </>
  );
}
