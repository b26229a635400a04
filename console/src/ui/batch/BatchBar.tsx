// Toolbar of a selection, with its size and the batch actions. On narrow screens it floats at the bottom of the window.
import CloseRounded from "~icons/ic/round-close";
import ExpandMoreRounded from "~icons/ic/round-expand-more";
import { Box, Button, useMediaQuery } from "@mui/material";
import { Disabled } from "../feedback/Disabled.tsx";
import { MenuButton } from "../MenuButton.tsx";
import { formatNumber } from "../text/numbers.ts";

export type BatchAction = {
  /** E.g. "Set owner". */
  label: string;
  onClick: () => void;
  danger?: boolean;
  /** Why the action is unavailable; the button stays focusable. */
  disabledReason?: string | undefined;
};

type BatchBarProps = {
  /** Number of selected rows; 0 hides the bar. */
  count: number;
  total: number;
  /** From `canSelectAll(selection)`. */
  offerAll: boolean;
  onSelectAll: () => void;
  onCancel: () => void;
  actions: readonly BatchAction[];
};

const floating = {
  position: "fixed",
  zIndex: "fab",
  insetInline: 12,
  bottom: "calc(12px + env(safe-area-inset-bottom))",
  boxShadow: "0 8px 28px rgb(6 20 18 / 0.2)",
};

export function BatchBar({ count, total, offerAll, onSelectAll, onCancel, actions }: BatchBarProps) {
  const narrow = useMediaQuery("(max-width: 899.95px)", { noSsr: true });
  if (count === 0) return null;
  return (
    <Box
      role="toolbar"
      aria-label="Selection"
      data-batch-bar={narrow ? "floating" : "inline"}
      sx={{
        display: "flex",
        flexWrap: "wrap",
        alignItems: "center",
        gap: 1,
        minHeight: 40,
        boxSizing: "border-box",
        px: 2,
        py: "3px",
        border: 1,
        borderRadius: 1,
        borderColor: "color-mix(in srgb, var(--mui-palette-primary-main) 35%, var(--mui-palette-divider))",
        bgcolor: "action.selected",
        ...(narrow && floating),
      }}
    >
      <Box component="span" role="status" sx={{ fontWeight: 600, px: 2, fontVariantNumeric: "tabular-nums" }}>
        {`${formatNumber(count)} selected`}
      </Box>
      {offerAll ? (
        <Button size="small" onClick={onSelectAll}>
          {`Select all ${formatNumber(total)}`}
        </Button>
      ) : null}
      {narrow ? (
        <MenuButton
          size="small"
          variant="contained"
          endIcon={<ExpandMoreRounded />}
          entries={actions}
          placement="above"
          sx={{ ml: "auto" }}
        >
          Actions
        </MenuButton>
      ) : (
        <>
          <Box sx={{ alignSelf: "stretch", mx: 1, my: 1.5, borderLeft: 1, borderColor: "divider" }} />
          {actions.map((action) => (
            <Disabled key={action.label} reason={action.disabledReason}>
              <Button size="small" color={action.danger === true ? "error" : "inherit"} onClick={action.onClick}>
                {action.label}
              </Button>
            </Disabled>
          ))}
        </>
      )}
      <Button
        size="small"
        color="inherit"
        startIcon={<CloseRounded />}
        onClick={onCancel}
        sx={narrow ? {} : { ml: "auto" }}
      >
        Cancel
      </Button>
    </Box>
  );
}
