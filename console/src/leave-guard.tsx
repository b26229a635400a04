// Leaving a page with unsaved input asks first, whichever way one leaves: link, Back, or closing the tab.
import { useBlocker } from "@tanstack/react-router";
import { useRef } from "react";
import { DiscardDialog } from "./ui/ConfirmDialog.tsx";

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
