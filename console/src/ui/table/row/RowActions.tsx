// Action buttons of a row: visible on hover and focus, always on touch screens.
import { Button } from "@mui/material";
import rows from "../../theme/rows.module.css";
import { Disabled } from "../../feedback/Disabled.tsx";
import { useTip } from "../../feedback/Tip.tsx";
import type { RowAction } from "../columns.ts";

/** Clicks don't open the row. */
export function RowActions({ actions, tabIndex = 0 }: { actions: readonly RowAction[]; tabIndex?: number }) {
  return (
    <div className={rows["actions"]} data-row-actions="" onClick={(event) => event.stopPropagation()}>
      {actions.map((action) => (
        <ActionButton key={action.label} action={action} tabIndex={tabIndex} />
      ))}
    </div>
  );
}

function ActionButton({ action, tabIndex }: { action: RowAction; tabIndex: number }) {
  const { handlers, tip } = useTip(() =>
    action.disabledReason === undefined && action.text === undefined ? action.label : undefined,
  );
  const way = action.href === undefined ? {} : { href: action.href, target: "_blank", rel: "noopener" };
  const common = { "aria-label": action.label, tabIndex, onClick: action.onClick, ...way };
  const Plain = action.href === undefined ? "button" : "a";
  const quiet = action.disabledReason === undefined ? handlers : {};
  return (
    <>
      <Disabled reason={action.disabledReason}>
        {action.text === undefined ? (
          <Plain
            className={rows["action"]}
            {...(action.href === undefined && { type: "button" as const })}
            {...(action.danger === true && { "data-danger": "" })}
            {...quiet}
            {...common}
          >
            {action.icon}
          </Plain>
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
