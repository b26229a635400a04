// Keeps the state of a visit to the registration pages, and claims the codes in the URL (CL-03, ADR 0017).
// The history entry stores the registered sensors, so that a reload claims nothing twice.
import { normalizeClaimingCode } from "@psp/contract/claim/claim.ts";
import { Alert, Box, Button, CircularProgress } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { formatSearch } from "../address/address.ts";
import { usePath, useSearchParams } from "../address/navigation.tsx";
import { CallError } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { useCan } from "../api/session/useCan.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { ClaimTable } from "./ClaimTable.tsx";
import { claimCodes, type ClaimRow } from "./claim.flow.ts";
import { claimText } from "./claim.text.ts";
import { codesInQuery } from "./scanned-link.ts";

type Visit = {
  rows: readonly ClaimRow[];
  /** Deduplicates by code. */
  add(rows: readonly ClaimRow[]): void;
};

const VisitContext = createContext<Visit | null>(null);

export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (visit === null) throw new Error("Not inside a registration visit");
  return visit;
}

type Kept = { claimed?: readonly ClaimRow[] };

function VisitProvider({ children }: { children: ReactNode }) {
  const router = useRouter();
  const client = useQueryClient();
  const path = usePath();
  const [rows, setRows] = useState<readonly ClaimRow[]>(() => (router.history.location.state as Kept).claimed ?? []);
  useEffect(() => {
    const { href, state } = router.history.location;
    if (rows.length === 0 || (state as Kept).claimed === rows) return;
    const kept = { ...state, claimed: rows };
    router.history.replace(href, kept);
  }, [router, rows, path]);
  const add = useCallback(
    (news: readonly ClaimRow[]) => {
      setRows((before) => [
        ...before,
        ...news.filter((row) => !before.some((one) => one.claimingCode === row.claimingCode)),
      ]);
      if (news.some((row) => row.claimingStatus === "CLAIMED")) void client.invalidateQueries({ queryKey: ["sensor"] });
    },
    [client],
  );
  return <VisitContext value={useMemo(() => ({ rows, add }), [rows, add])}>{children}</VisitContext>;
}

/** Message for a failure that isn't about the code, such as too many wrong codes, no connection or no permission. */
export function describeClaimFailure(error: unknown): { title: string; text: string } {
  if (error instanceof CallError && error.status === 429) {
    const seconds = Number(error.details["retryAfter"] ?? 60);
    return { title: claimText.failed, text: claimText.tooMany(Math.max(1, Math.ceil(seconds / 60))) };
  }
  return { title: claimText.failed, text: failureText(error) };
}

export function RegisterVisit() {
  const { claim } = useCan();
  if (!claim()) {
    return (
      <>
        <PageHeader title={claimText.title} />
        <EmptyState kind="denied" title={claimText.deniedTitle} text={claimText.denied} />
      </>
    );
  }
  return (
    <VisitProvider>
      <Brought />
    </VisitProvider>
  );
}

/** Claims each code of the URL once per visit. */
function Brought() {
  const { code, c } = useSearchParams();
  const { rows, add } = useVisit();
  const isNew = (one: string) => !rows.some((row) => row.claimingCode === normalizeClaimingCode(one));
  const wanted = codesInQuery(formatSearch({ code, c })).filter(isNew).join(" ");
  const [progress, setProgress] = useState<readonly ClaimRow[]>([]);
  const [error, setError] = useState<unknown>(null);
  const asked = useRef("");
  useEffect(() => {
    if (wanted === "" || error !== null || asked.current === wanted) return;
    asked.current = wanted;
    let last: readonly ClaimRow[] = [];
    claimCodes(wanted.split(" "), (next) => {
      last = next;
      setProgress(next);
    })
      .catch(setError)
      .finally(() => {
        asked.current = "";
        add(last.filter((row) => row.claimingStatus !== "NONE"));
      });
  }, [wanted, error, add]);
  if (wanted !== "" && error === null) {
    return (
      <Box sx={{ width: 1, maxWidth: 760, mx: "auto" }}>
        <PageHeader title={claimText.title} />
        <Box role="status" sx={{ display: "flex", alignItems: "center", gap: 3, mb: 5 }}>
          <CircularProgress size={20} aria-hidden />
          {claimText.claiming(progress.length)}
        </Box>
        {progress.length === 0 ? null : <ClaimTable rows={progress} />}
      </Box>
    );
  }
  const failure = error === null ? null : describeClaimFailure(error);
  return (
    <>
      {failure === null ? null : (
        <Alert
          severity="error"
          action={
            <Button color="inherit" onClick={() => setError(null)}>
              {claimText.tryAgain}
            </Button>
          }
          sx={{ mb: 5, width: 1, maxWidth: 760, mx: "auto" }}
        >
          <strong>{failure.title}.</strong> {failure.text}
        </Alert>
      )}
      <Outlet />
    </>
  );
}
