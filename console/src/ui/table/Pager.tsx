// Pagination: the range of rows, links to pages, and a field to jump to a page.
import ChevronLeftRounded from "~icons/ic/round-chevron-left";
import ChevronRightRounded from "~icons/ic/round-chevron-right";
import { Box, ButtonBase, IconButton, OutlinedInput } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type FormEvent, useId, useState } from "react";
import { Disabled } from "../feedback/Disabled.tsx";
import { formatNumber } from "../text/numbers.ts";

/** The first and the last page, and the current page with two neighbors on each side (all 1-based); "…" stands for skipped pages. */
export function pageItems(page: number, pageCount: number): readonly (number | "…")[] {
  const wanted = new Set([1, pageCount]);
  for (let near = page - 2; near <= page + 2; near++) if (near >= 1 && near <= pageCount) wanted.add(near);
  const items: (number | "…")[] = [];
  let last = 0;
  for (const next of [...wanted].sort((a, b) => a - b)) {
    if (next - last > 1) items.push("…");
    items.push(next);
    last = next;
  }
  return items;
}

const PageButton = styled(ButtonBase)(({ theme }) => ({
  minWidth: 30,
  height: 30,
  padding: "0 6px",
  borderRadius: 6,
  font: "inherit",
  color: theme.vars.palette.text.secondary,
  fontVariantNumeric: "tabular-nums",
  "&:hover": { backgroundColor: theme.vars.palette.action.hover, color: theme.vars.palette.text.primary },
  "&[aria-current]": {
    color: theme.vars.palette.text.primary,
    fontWeight: 600,
    boxShadow: `inset 0 0 0 1px ${theme.vars.palette.divider}`,
    backgroundColor: theme.vars.palette.background.paper,
  },
  "@media (pointer: coarse)": { minWidth: 40, height: 44 },
  "@media (max-width: 599.95px)": { minWidth: 30, padding: "0 2px" },
}));

type PagerProps = {
  /** 1-based. */
  page: number;
  pageSize: number;
  /** Number of rows over all pages. */
  total: number;
  onPageChange: (page: number) => void;
  /** Accessible name; default "Pages". */
  label?: string;
};

/** Shows only the count if there is a single page. */
export function Pager({ page, pageSize, total, onPageChange, label = "Pages" }: PagerProps) {
  const boxId = useId();
  const [typed, setTyped] = useState("");
  const pageCount = Math.max(1, Math.ceil(total / pageSize));
  const from = total === 0 ? 0 : (page - 1) * pageSize + 1;
  const to = Math.min(total, page * pageSize);
  const go = (to: number) => {
    const target = Math.min(pageCount, Math.max(1, to));
    if (target !== page) onPageChange(target);
  };
  const jump = (event: FormEvent) => {
    event.preventDefault();
    const wanted = Number.parseInt(typed, 10);
    setTyped("");
    if (Number.isInteger(wanted)) go(wanted);
  };
  const step = (name: string, to: number, reason: string | undefined) => (
    <Disabled reason={reason}>
      <IconButton aria-label={name} onClick={() => go(to)}>
        {to < page ? <ChevronLeftRounded /> : <ChevronRightRounded />}
      </IconButton>
    </Disabled>
  );
  return (
    <Box
      component="nav"
      aria-label={label}
      sx={{
        display: "flex",
        flexWrap: "wrap",
        alignItems: "center",
        columnGap: 4,
        rowGap: 1,
        minHeight: 44,
        color: "text.secondary",
      }}
    >
      <Box component="span" sx={{ fontVariantNumeric: "tabular-nums", mr: "auto" }}>
        {`${formatNumber(from)}–${formatNumber(to)} of ${formatNumber(total)}`}
      </Box>
      {pageCount === 1 ? null : (
        <>
          <Box
            sx={{
              display: "flex",
              flexWrap: "wrap",
              alignItems: "center",
              gap: { xs: 0, sm: "2px" },
              "& .MuiIconButton-root": { "@media (max-width: 599.95px)": { minWidth: 30, px: "2px" } },
            }}
          >
            {step("Previous page", page - 1, page <= 1 ? "This is the first page" : undefined)}
            {pageItems(page, pageCount).map((item, index) =>
              item === "…" ? (
                <Box component="span" key={`gap${index}`} sx={{ width: { xs: 14, sm: 24 }, textAlign: "center" }}>
                  …
                </Box>
              ) : (
                <PageButton
                  key={item}
                  aria-label={`Page ${item}`}
                  {...(item === page ? { "aria-current": "page" as const } : {})}
                  onClick={() => go(item)}
                >
                  {item}
                </PageButton>
              ),
            )}
            {step("Next page", page + 1, page >= pageCount ? "This is the last page" : undefined)}
          </Box>
          <Box component="form" noValidate onSubmit={jump} sx={{ display: "flex", alignItems: "center", gap: 2 }}>
            <label htmlFor={boxId}>Go to page</label>
            <OutlinedInput
              id={boxId}
              type="number"
              size="small"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              placeholder={String(page)}
              slotProps={{ input: { min: 1, max: pageCount, inputMode: "numeric" } }}
              sx={{
                width: 64,
                minHeight: 30,
                "& input": { py: "4px", MozAppearance: "textfield", fontVariantNumeric: "tabular-nums" },
                "& input::-webkit-inner-spin-button": { display: "none" },
              }}
            />
          </Box>
        </>
      )}
    </Box>
  );
}
