// Asks for confirmation before a link, Back or closing the tab discards unsaved input.
import { DiscardDialog, toDiscardDialogProps } from "../ui/form/ConfirmDialog.tsx";
import { useDirtyGuard } from "../ui/form/DirtyGuard.ts";

/** Returns the dialog to render. `onDiscard` deletes a stored draft. */
export function useLeaveGuard(dirty: boolean, onDiscard?: () => void) {
  return <DiscardDialog {...toDiscardDialogProps(useDirtyGuard(dirty), onDiscard)} />;
}
