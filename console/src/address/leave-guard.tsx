// Leaving a page with unsaved input asks first, whichever way one leaves: link, Back, or closing the tab.
import { type RouterHistory, useBlocker } from "@tanstack/react-router";
import type { Barrier } from "../ui/form/DirtyGuard.ts";
import { useRef } from "react";
import { DiscardDialog } from "../ui/form/ConfirmDialog.tsx";

/** For forms in dialogs, which know no router. */
export function barrierOf({ history }: { history: RouterHistory }): Barrier {
  return (mayGo) =>
    history.block({
      blockerFn: async ({ currentLocation, nextLocation }) =>
        currentLocation.pathname !== nextLocation.pathname && !(await mayGo()),
      enableBeforeUnload: false,
    });
}

/** `dialog` is to be rendered; `release` lets the next step pass, for after saving. */
export function useLeaveGuard(dirty: boolean) {
  const released = useRef(false);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && !released.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty && !released.current,
    withResolver: true,
  });
  return {
    release: () => {
      released.current = true;
    },
    dialog: (
      <DiscardDialog
        open={blocker.status === "blocked"}
        onStay={() => blocker.reset?.()}
        onDiscard={() => blocker.proceed?.()}
      />
    ),
  };
}
