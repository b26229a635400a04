// Layout of list pages, from the title to the pagination.
import type { UseQueryResult } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { Box, Stack } from "@mui/material";
import { styled } from "@mui/material/styles";
import { Fragment, type ReactNode, useDeferredValue, useEffect } from "react";
import type { ListState } from "../../address/list-state.ts";
import { failureText } from "../../api/useFailure.ts";
import { EmptyState } from "../../ui/feedback/EmptyState.tsx";
import { PageHeader, type PrimaryAction } from "../../ui/PageHeader.tsx";
import { FilterChips } from "../../ui/table/FilterChips.tsx";
import {
  FilterDrawer,
  FilterPanelPlaceholder,
  FiltersButton,
  useIsFilterPanelInline,
} from "../../ui/table/FilterDrawer.tsx";
import { Pager } from "../../ui/table/Pager.tsx";
import type { ListBatch } from "../batch/list-batch.tsx";
import type { ListFilter } from "./list-filters.tsx";
import { useFilterDrawer } from "./useFilterDrawer.ts";
import { formatNumber } from "../../ui/text/numbers.ts";

const barHeight = 48;

/** A grid, so that the sticky batch bar spans toolbar and rows. */
const Page = styled("div")({
  display: "grid",
  flex: 1,
  gridTemplate: `"title" auto "toolbar" auto "rows" 1fr / minmax(0, 1fr)`,
  '& > [data-batch-bar="inline"]': {
    gridRow: "toolbar-start / rows-end",
    gridColumn: 1,
    alignSelf: "start",
    position: "sticky",
    top: "calc(var(--sticky-top, 0px) + 4px)",
    zIndex: 4,
  },
  '&:has(> [data-batch-bar="inline"])': {
    "--list-top": `calc(var(--sticky-top, 0px) + ${barHeight}px)`,
    "& > [data-toolbar]": { visibility: "hidden" },
  },
});

const Toolbar = styled("div")(({ theme }) => ({
  gridArea: "toolbar",
  display: "flex",
  flexWrap: "wrap",
  alignItems: "center",
  gap: theme.spacing(2),
  minHeight: 40,
  marginBottom: theme.spacing(4),
  "& > a, & > [data-more] > a": { lineHeight: "32px" },
  "@media print": { "& > :not([data-more])": { display: "none" } },
}));

const Search = styled("div")({
  flex: "1 1 160px",
  maxWidth: 280,
  "@media (max-width: 599.95px)": { maxWidth: "none" },
});

/** Keeps its line on phones even if it is empty, to avoid layout shift. */
const More = styled("div")(({ theme }) => ({
  display: "contents",
  "@media (max-width: 599.95px)": {
    order: 1,
    display: "flex",
    alignItems: "flex-start",
    gap: theme.spacing(3),
    width: "100%",
    minHeight: 44,
    marginBottom: theme.spacing(-4),
    "&:has(> [data-own-line])": { flexWrap: "wrap", marginBottom: 0 },
    // Views share the line with the total.
    "&:has(> nav)": { flexWrap: "wrap", alignItems: "center", marginBottom: 0 },
    "& > nav ~ [role=toolbar]": { order: 1 },
  },
  "@media print": { display: "contents", "& > :not([aria-live])": { display: "none" } },
}));

const Total = styled("div")(({ theme }) => ({
  marginLeft: "auto",
  color: theme.vars.palette.text.secondary,
  fontVariantNumeric: "tabular-nums",
  whiteSpace: "nowrap",
  "&:empty": { display: "none" },
}));

type ListFrameProps = {
  text: { title: string; loadFailed: string; counted: (count: number) => string };
  list: ListState;
  answer: UseQueryResult<unknown>;
  filters: readonly ListFilter[];
  onClear: () => void;
  clearLabel?: string | undefined;
  /** Matching rows over all pages; undefined while unknown or without pagination. */
  total: number | undefined;
  all?: number | undefined;
  primary?: PrimaryAction | undefined;
  /** Replaces `primary`, e.g. with a SpeedDial. */
  action?: ReactNode;
  toolbar?: ReactNode;
  /** Replaces the title for a list within a page, whose filters start collapsed. */
  heading?: ReactNode;
  batch?: ListBatch | undefined;
  children: ReactNode;
};

export function ListFrame(props: ListFrameProps) {
  const { text, list, answer, total, batch, heading } = props;
  const { page, pageSize, setPage } = list;
  const beside = useIsFilterPanelInline();
  const [open, setOpen] = useFilterDrawer(heading !== undefined);
  const chips = props.filters.flatMap((filter) => filter.chips);
  // While loading, the total is still that of the previous list.
  const lastPage =
    total === undefined || answer.isPlaceholderData ? undefined : Math.max(1, Math.ceil(total / pageSize));
  useEffect(() => {
    if (lastPage !== undefined && page > lastPage) setPage(lastPage, "corrected");
  }, [lastPage, page, setPage]);
  const hasFailed = answer.isError && answer.data === undefined;
  const clear = { onClear: props.onClear, clearLabel: props.clearLabel };
  const search = props.filters.find(({ searchText: searched }) => searched !== undefined);
  const inDrawer = props.filters.filter((filter) => filter !== search && filter.field !== null);
  // Without any objects, filters and batches are hidden.
  const isBare = chips.length === 0 && !hasFailed && (total ?? props.all) === 0;
  // Rendering a dozen selects is slow, so it is deferred.
  const drawer = useDeferredValue(
    isBare || inDrawer.length === 0 ? null : (
      <FilterDrawer open={open} onClose={() => setOpen(false)} activeCount={chips.length} {...clear}>
        {inDrawer.map(({ field }, index) => (
          <Fragment key={index}>{field}</Fragment>
        ))}
      </FilterDrawer>
    ),
    inDrawer.length > 0 && open && beside ? <FilterPanelPlaceholder /> : null,
  );
  // Deferred, so that the checkbox responds first.
  const bar = useDeferredValue(isBare ? null : batch?.bar);
  return (
    <Page data-wide="">
      {heading ?? <PageHeader title={text.title} primary={props.primary} action={props.action} />}
      {isBare ? null : (
        <Toolbar data-toolbar="">
          {search === undefined ? null : <Search>{search.field}</Search>}
          {inDrawer.length === 0 ? null : (
            <FiltersButton
              open={open}
              onClick={() => setOpen(!open)}
              activeCount={inDrawer.flatMap((one) => one.chips).length}
            />
          )}
          <FilterChips filters={chips} {...clear} />
          <More data-more="">
            {props.toolbar}
            <Total aria-live="polite">{totalWords(total, props.all, chips.length > 0, text.counted)}</Total>
          </More>
        </Toolbar>
      )}
      {bar}
      <Box sx={{ gridArea: "rows", minWidth: 0, display: "flex", alignItems: "flex-start", flex: 1 }}>
        {drawer}
        <Stack sx={{ flex: 1, minWidth: 0, gap: 2 }}>
          {hasFailed ? (
            <EmptyState
              kind="error"
              title={text.loadFailed}
              text={failureText(answer.error)}
              action={{ label: "Try again", onClick: () => void answer.refetch() }}
            />
          ) : (
            props.children
          )}
          {total === undefined || total === 0 || hasFailed ? null : (
            <Pager page={page} pageSize={pageSize} total={total} onPageChange={setPage} />
          )}
        </Stack>
      </Box>
      {batch?.dialog}
      <Outlet />
    </Page>
  );
}

/** "96 sensors", and "12 of 96 sensors" with filters. */
function totalWords(
  total: number | undefined,
  all: number | undefined,
  filtered: boolean,
  counted: (count: number) => string,
): string {
  if (total === undefined) return all === undefined ? "" : counted(all);
  if (!filtered) return counted(total);
  return all === undefined ? `${formatNumber(total)} found` : `${formatNumber(total)} of ${counted(all)}`;
}
