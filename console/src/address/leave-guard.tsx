// Leaving a page with unsaved input asks first, whichever way one leaves: link, Back, or closing the tab.
import type { RouterHistory } from "@tanstack/react-router";
import { DiscardDialog } from "../ui/form/ConfirmDialog.tsx";
import { type Barrier, useDirtyGuard } from "../ui/form/DirtyGuard.ts";

/** For `useDirtyGuard`, which knows no router. */
export function barrierOf({ history }: { history: RouterHistory }): Barrier {
  return (mayGo) =>
    history.block({
      blockerFn: async ({ currentLocation, nextLocation }) =>
        currentLocation.pathname !== nextLocation.pathname && !(await mayGo()),
      enableBeforeUnload: false,
    });
}

/** For the form on a page: the question, to be rendered. */
export function useLeaveGuard(dirty: boolean) {
  const { asking, stay, leave } = useDirtyGuard(dirty);
  return <DiscardDialog open={asking} onStay={stay} onDiscard={leave} />;
}
