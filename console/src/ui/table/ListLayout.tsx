// The places of every list page: title, toolbar with filter chips, filters beside, rows, pages; and its empty and failed screens.
import Box from "@mui/material/Box";
import { type ReactNode, useEffect, useState } from "react";
import { EmptyState } from "../feedback/EmptyState.tsx";
import { FilterChips, type ActiveFilter } from "./FilterChips.tsx";
import { FilterDrawer, FiltersButton, useFiltersBeside } from "./FilterDrawer.tsx";
import { PageHeader, type PrimaryAction } from "../PageHeader.tsx";
import { Pager } from "./Pager.tsx";

type ListLayoutProps = {
  title: string;
  primary?: PrimaryAction | undefined;
  /** Instead of `primary`, e.g. a SpeedDial. */
  action?: ReactNode;
  /** More of the toolbar, e.g. view toggles. */
  toolbar?: ReactNode;
  /** A BatchBar. */
  selectionBar?: ReactNode;
  filters: ReactNode;
  chips: readonly ActiveFilter[];
  onClear: () => void;
  clearLabel?: string | undefined;
  page: number;
  pageSize: number;
  /** Undefined while unknown. */
  total: number | undefined;
  /** The total is still that of the list before: the answer to the present question is on its way. */
  awaited: boolean;
  /** `corrected`: no person chose it, so that Back must not lead to the page before. */
  onPageChange: (page: number, how?: "corrected") => void;
  /** The list could not be loaded. */
  failure?: { title: string; text: string; onRetry: () => void } | undefined;
  /** The rows: a DataTable. */
  children: ReactNode;
};

export function ListLayout(props: ListLayoutProps) {
  const { page, pageSize, total, awaited, onPageChange, chips } = props;
  const beside = useFiltersBeside();
  const [open, setOpen] = useState(beside);
  const lastPage = total === undefined || awaited ? undefined : Math.max(1, Math.ceil(total / pageSize));
  // The page in the address may have emptied since.
  useEffect(() => {
    if (lastPage !== undefined && page > lastPage) onPageChange(lastPage, "corrected");
  }, [lastPage, page, onPageChange]);
  const clear = { onClear: props.onClear, clearLabel: props.clearLabel };
  return (
    <>
      <PageHeader title={props.title} primary={props.primary} action={props.action} selectionBar={props.selectionBar}>
        <FiltersButton open={open} onClick={() => setOpen(!open)} activeCount={chips.length} />
        {props.toolbar}
        <FilterChips filters={chips} {...clear} />
      </PageHeader>
      <Box sx={{ display: "flex", alignItems: "flex-start", flex: 1 }}>
        <FilterDrawer open={open} onClose={() => setOpen(false)} activeCount={chips.length} {...clear}>
          {props.filters}
        </FilterDrawer>
        <Box sx={{ flex: 1, minWidth: 0, display: "flex", flexDirection: "column", gap: 2 }}>
          {props.failure === undefined ? (
            props.children
          ) : (
            <EmptyState
              kind="error"
              title={props.failure.title}
              text={props.failure.text}
              action={{ label: "Try again", onClick: props.failure.onRetry }}
            />
          )}
          {total === undefined || total === 0 || props.failure !== undefined ? null : (
            <Pager page={page} pageSize={pageSize} total={total} onPageChange={onPageChange} />
          )}
        </Box>
      </Box>
    </>
  );
}
