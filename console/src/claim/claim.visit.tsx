// One visit to the registration screens: what was registered so far, kept with the page's place in the history, so that a reload claims nothing twice.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { normalCode } from "@psp/contract/claim/claim.ts";
import { usePath } from "../address/navigation.tsx";
import { claimCodes, type ClaimRow } from "./claim.flow.ts";

export type Visit = {
  rows: readonly ClaimRow[];
  /** Adds what was registered; a code is there once. */
  add(rows: readonly ClaimRow[]): void;
};

const VisitContext = createContext<Visit | null>(null);

export function useVisit(): Visit {
  const visit = useContext(VisitContext);
  if (visit === null) throw new Error("Not inside a registration visit");
  return visit;
}

type Kept = { claimed?: readonly ClaimRow[] };

/** Holds the rows of the visit for the screens below it. */
export function VisitProvider({ children }: { children: ReactNode }) {
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

export type Prefilled =
  | { phase: "NONE" | "DONE" }
  | { phase: "IN_PROGRESS"; rows: readonly ClaimRow[] }
  | { phase: "FAILED"; error: unknown; retry: () => void };

/** Claims the codes of the address at once, each once in a visit (CL-03). */
export function usePrefilled(codes: readonly string[]): Prefilled {
  const { rows, add } = useVisit();
  const wanted = codes.filter((code) => !rows.some((row) => row.claimingCode === normalCode(code))).join(" ");
  const [progress, setProgress] = useState<readonly ClaimRow[]>([]);
  const [error, setError] = useState<unknown>(null);
  const asked = useRef("");
  useEffect(() => {
    if (wanted === "" || error !== null || asked.current === wanted) return;
    asked.current = wanted;
    let told: readonly ClaimRow[] = [];
    claimCodes(wanted.split(" "), (next) => {
      told = next;
      setProgress(next);
    })
      .catch(setError)
      .finally(() => {
        asked.current = "";
        add(told.filter((row) => row.claimingStatus !== "NONE"));
      });
  }, [wanted, error, add]);
  if (error !== null) return { phase: "FAILED", error, retry: () => setError(null) };
  if (wanted !== "") return { phase: "IN_PROGRESS", rows: progress };
  return { phase: codes.length === 0 ? "NONE" : "DONE" };
}
