// Filters of a list, in a panel beside the list on wide screens and in a bottom sheet elsewhere, and the button that opens them.
import CloseRounded from "~icons/ic/round-close";
import FilterListRounded from "~icons/ic/round-filter-list";
import { Box, Button, IconButton, Stack, Typography, useMediaQuery } from "@mui/material";
import { styled } from "@mui/material/styles";
import { type ReactNode, useId } from "react";
import { KeepMountedDialog } from "../feedback/LazyDialog.tsx";

const loadSheet = () => import("./FilterSheet.tsx").then((chunk) => chunk.FilterSheet);

const wide = "(min-width: 1100px)";

/** Whether there is room for the panel beside the list. */
export function useIsFilterPanelInline(): boolean {
  return useMediaQuery(wide, { noSsr: true });
}

type FilterDrawerProps = {
  open: boolean;
  onClose: () => void;
  /** Number of active filters; 0 hides the clear button. */
  activeCount: number;
  onClear: () => void;
  /** Default "Clear all". */
  clearLabel?: string | undefined;
  /** The filter fields, which apply immediately. */
  children: ReactNode;
};

const Aside = styled("aside")(({ theme }) => ({
  width: 248,
  flex: "none",
  paddingRight: theme.spacing(5),
  marginRight: theme.spacing(5),
  borderRight: `1px solid ${theme.vars.palette.divider}`,
  alignSelf: "stretch",
}));

/** Reserves the panel's space while it loads, to avoid layout shift. */
export const FilterPanelPlaceholder = () => <Aside as="div" />;

/** Place it left of the list in a flex row. */
export function FilterDrawer({
  open,
  onClose,
  activeCount,
  onClear,
  clearLabel = "Clear all",
  children,
}: FilterDrawerProps) {
  const beside = useIsFilterPanelInline();
  const titleId = useId();
  const head = (
    <Box sx={{ display: "flex", alignItems: "center", gap: 1, minHeight: 32 }}>
      <Typography id={titleId} variant="h2" sx={{ mr: "auto" }}>
        Filters
      </Typography>
      <Button
        size="small"
        color="inherit"
        onClick={onClear}
        sx={{ visibility: activeCount === 0 ? "hidden" : "visible" }}
      >
        {clearLabel}
      </Button>
      <IconButton size="small" aria-label="Close filters" onClick={onClose}>
        <CloseRounded />
      </IconButton>
    </Box>
  );
  const fields = <Stack sx={{ gap: 4 }}>{children}</Stack>;
  if (beside) {
    if (!open) return null;
    return (
      <Aside aria-labelledby={titleId}>
        <Stack sx={{ position: "sticky", top: 72, gap: 3 }}>
          {head}
          {fields}
        </Stack>
      </Aside>
    );
  }
  return <KeepMountedDialog load={loadSheet} show={{ open, titleId, head, fields, onClose }} />;
}

export function FiltersButton(props: { open: boolean; onClick: () => void; activeCount: number }) {
  return (
    <Button
      variant="outlined"
      color="inherit"
      startIcon={<FilterListRounded />}
      aria-expanded={props.open}
      onClick={props.onClick}
      sx={props.open ? { bgcolor: "action.hover" } : {}}
    >
      Filters
      {props.activeCount === 0 ? null : (
        <Box
          component="span"
          aria-label={`${props.activeCount} active`}
          role="img"
          sx={{
            ml: 1.5,
            minWidth: 18,
            px: 1,
            borderRadius: 5,
            bgcolor: "primary.main",
            color: "primary.contrastText",
            fontSize: "0.75rem",
            lineHeight: "18px",
          }}
        >
          {props.activeCount}
        </Box>
      )}
    </Button>
  );
}
