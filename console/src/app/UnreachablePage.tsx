// Stands in for every page while the server can't be asked who is signed in.
import { useEffect } from "react";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { appText } from "./app.text.ts";

const retryMs = 3000;

/** Tries again by itself. */
export function UnreachablePage({ onRetry }: { onRetry: () => void }) {
  useEffect(() => {
    const timer = setInterval(onRetry, retryMs);
    return () => clearInterval(timer);
  }, [onRetry]);
  return (
    <EmptyState
      kind="offline"
      title={appText.connectionLost}
      text={appText.unreachable}
      action={{ label: appText.tryAgain, onClick: onRetry }}
    />
  );
}
