// Pages that are shown for unknown URLs, while loading, and after failures.
import { Dialog } from "@mui/material";
import { useMatch, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useId } from "react";
import { useLink, useTitle } from "./navigation.tsx";
import { paths } from "./paths.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { LoadingBar } from "../ui/feedback/LoadingBar.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { PageSkeleton } from "../ui/feedback/Skeletons.tsx";
import { ChunkError } from "./loadChunk.ts";

const text = {
  notFound: "Page not found",
  notFoundText: "The address may be wrong, or the page no longer exists.",
  home: "Go to the home page",
  failed: "Something went wrong",
  failedText: "This page stopped working because of an error in the console.",
  chunkText: "The console may have been updated, or the connection was lost.",
  reload: "Reload",
} as const;

export function NotFoundPage() {
  const home = useLink(paths.root, "none");
  useTitle(text.notFound);
  return (
    <>
      <PageHeader title={text.notFound} />
      <EmptyState kind="notFound" title={text.notFoundText} action={{ label: text.home, href: home.href }} />
    </>
  );
}

function useIsDialog(): boolean {
  return useMatch({ strict: false }).staticData.dialog === true;
}

export function LoadingPage() {
  return useIsDialog() ? <LoadingBar /> : <PageSkeleton />;
}

/** Replaces a page that threw, or whose chunk failed to load (ER-04). */
export function FailedPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  const chunk = error instanceof ChunkError;
  const dialog = useIsDialog();
  const titleId = useId();
  useEffect(() => {
    if (!chunk) console.error(error);
  }, [chunk, error]);
  const reload = () => {
    void router.invalidate();
    window.location.reload();
  };
  const what = (
    <EmptyState
      kind="error"
      titleId={titleId}
      title={chunk ? error.message : text.failed}
      text={chunk ? text.chunkText : text.failedText}
      action={{ label: text.reload, onClick: reload }}
    />
  );
  // A failed dialog shows its message in a dialog, because below the page it would be out of sight.
  if (!dialog) return what;
  return (
    <Dialog open aria-labelledby={titleId}>
      {what}
    </Dialog>
  );
}
