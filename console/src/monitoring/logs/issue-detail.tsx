// The dialog of an issue over a list, opened by the URL.
import { useNavigate } from "@tanstack/react-router";
import { buildHref, type SearchParams } from "../../address/address.ts";
import { loadChunk } from "../../address/loadChunk.ts";
import { useMatchedPath, useSearchParams } from "../../address/navigation.tsx";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";

const loadDialog = () =>
  loadChunk("IssueDialog", () => import("../detail/IssueDialog.tsx")).then((chunk) => chunk.IssueDialog);

const one = (value: string | string[] | undefined) => (typeof value === "string" && value !== "" ? value : null);

/** State of the issue dialog. The issue's id is in the URL, so that Back closes the dialog. */
export function useIssueDetail() {
  const path = useMatchedPath();
  const search = useSearchParams();
  const navigate = useNavigate();
  const go = (next: (now: SearchParams) => SearchParams, replace: boolean) =>
    void navigate({ to: ".", search: next, replace, resetScroll: false });
  return {
    id: one(search["issue"]),
    addressOf: (issue: string) => buildHref(path, { ...search, issue }, "keep"),
    open: (issue: string) => go((now) => ({ ...now, issue }), false),
    close: () => go(({ issue: _issue, ...kept }) => kept, true),
  };
}

type IssueDetailDialogProps = { detail: ReturnType<typeof useIssueDetail>; timeZone: string | null };

export function IssueDetailDialog({ detail: { id, close }, timeZone }: IssueDetailDialogProps) {
  if (id === null) return null;
  return <LazyDialog key={id} load={loadDialog} onClose={close} show={{ id, timeZone, onClose: close }} />;
}
