// Leaving a page with unsaved input asks first, whichever way one leaves: link, Back, or closing the tab.
import { DiscardDialog, discardOf } from "../ui/form/ConfirmDialog.tsx";
import { useDirtyGuard } from "../ui/form/DirtyGuard.ts";

/** For the form on a page: the question, to be rendered. `onDiscard` forgets the draft of a form that keeps one. */
export function useLeaveGuard(dirty: boolean, onDiscard?: () => void) {
  return <DiscardDialog {...discardOf(useDirtyGuard(dirty), onDiscard)} />;
}
