// The buttons at the end of a row: visible on hover and focus, always on touch.
import { Button, IconButton } from "@mui/material";
import { styled } from "@mui/material/styles";
import { Disabled } from "../feedback/Disabled.tsx";
import { useTip } from "../feedback/Tip.tsx";
import type { RowAction } from "./columns.ts";

const Actions = styled("div")({ display: "inline-flex", gap: "2px", alignItems: "center", justifyContent: "flex-end" });

/** Clicks don't reach the row. */
export function RowActions({ actions, tabIndex = 0 }: { actions: readonly RowAction[]; tabIndex?: number }) {
  return (
    <Actions data-row-actions="" onClick={(event) => event.stopPropagation()}>
      {actions.map((action) => (
        <ActionButton key={action.label} action={action} tabIndex={tabIndex} />
      ))}
    </Actions>
  );
}

function ActionButton({ action, tabIndex }: { action: RowAction; tabIndex: number }) {
  const { handlers, tip } = useTip(() =>
    action.disabledReason === undefined && action.text === undefined ? action.label : undefined,
  );
  const common = { "aria-label": action.label, tabIndex, onClick: action.onClick };
  const quiet = action.disabledReason === undefined ? handlers : {};
  return (
    <>
      <Disabled reason={action.disabledReason}>
        {action.text === undefined ? (
          <IconButton
            size="small"
            {...quiet}
            {...common}
            sx={action.danger === true ? { "&:hover": { color: "error.main" } } : {}}
          >
            {action.icon}
          </IconButton>
        ) : (
          <Button size="small" variant="outlined" color="inherit" startIcon={action.icon} {...common}>
            {action.text}
          </Button>
        )}
      </Disabled>
      {tip}
    </>
  );
}
