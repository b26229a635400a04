// Pages that stand in for others: not found, no permission, waiting for the server, and what a broken page says.
import Dialog from "@mui/material/Dialog";
import { useMatch, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useId } from "react";
import { useLink, useTitle } from "./navigation.tsx";
import { paths } from "./paths.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { Opening } from "../ui/feedback/Opening.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { PageSkeleton } from "../ui/feedback/Skeletons.tsx";
import { appText } from "../app/app.text.ts";
import { ChunkError } from "./loadPiece.ts";

const retryMs = 3000;

export function NotFoundPage() {
  const home = useLink(paths.root, "none");
  useTitle(appText.notFound);
  return (
    <>
      <PageHeader title={appText.notFound} />
      <EmptyState kind="notFound" title={appText.notFoundText} action={{ label: appText.home, href: home.href }} />
    </>
  );
}

/** While the server can't be asked who is signed in; tries again by itself. */
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

/** Does this stand in for a dialog, over a page that is there? */
function useIsDialog(): boolean {
  return useMatch({ strict: false }).staticData.dialog === true;
}

export function LoadingPage() {
  return useIsDialog() ? <Opening /> : <PageSkeleton />;
}

/** A page that threw, or whose code could not be loaded (ER-04). */
export function FailedPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  const chunk = error instanceof ChunkError;
  const dialog = useIsDialog();
  const titleId = useId();
  useEffect(() => {
    if (!chunk) console.error(error);
  }, [chunk, error]);
  const what = (
    <EmptyState
      kind="error"
      titleId={titleId}
      title={chunk ? error.message : appText.failed}
      text={chunk ? appText.chunkText : appText.failedText}
      action={{
        label: appText.reload,
        onClick: () => {
          void router.invalidate();
          window.location.reload();
        },
      }}
    />
  );
  // At the end of the page below nobody would see it.
  return dialog ? (
    <Dialog open aria-labelledby={titleId}>
      {what}
    </Dialog>
  ) : (
    what
  );
}
