// Leaving a page with unsaved input asks first, whichever way one leaves: link, Back, or closing the tab.
import { DiscardDialog } from "../ui/form/ConfirmDialog.tsx";
import { useDirtyGuard } from "../ui/form/DirtyGuard.ts";

/** For the form on a page: the question, to be rendered. */
export function useLeaveGuard(dirty: boolean) {
  const { asking, stay, leave } = useDirtyGuard(dirty);
  return <DiscardDialog open={asking} onStay={stay} onDiscard={leave} />;
}
