// How a batch ended: all, some or none, the general text, and the failures behind 'Details'. (spec 1 §2, decisions 14)
import Alert from "@mui/material/Alert";
import AlertTitle from "@mui/material/AlertTitle";
import Box from "@mui/material/Box";
import type { ReactNode, Ref } from "react";
import { BatchFailures } from "./BatchFailures.tsx";
import { outcomeOf, sameMessage } from "./batchRun.ts";
import type { BatchState } from "./batchRun.ts";

export type BatchTexts = {
  /** E.g. "Successfully updated all 5 account(s)!" */
  success: (changed: number) => string;
  /** E.g. "2 account(s) failed to update! 3 account(s) was/were updated successfully." */
  partial: (failed: number, changed: number) => string;
  /** Title when nothing changed: "Saving Failed", "Deletion Failed". */
  failedTitle: string;
};

type BatchOutcomeProps = {
  ref?: Ref<HTMLDivElement>;
  state: BatchState & { step: "done" };
  texts: BatchTexts;
  renderObject?: (id: string) => ReactNode;
};

const severities = { success: "success", partial: "warning", failed: "error" } as const;

/** Props: `ref` (focusable), `state`, `texts`, `renderObject?`. */
export function BatchOutcome({ ref, state, texts, renderObject }: BatchOutcomeProps) {
  const { result, general } = state;
  const kind = outcomeOf(state);
  const text = kind === "success" ? undefined : (general ?? sameMessage(result.fail));
  return (
    <Box {...(ref === undefined ? {} : { ref })} tabIndex={-1} sx={{ outline: "none" }}>
      <Alert severity={severities[kind]} role={kind === "success" ? "status" : "alert"}>
        {kind === "success" ? texts.success(result.success) : null}
        {kind === "partial" ? <AlertTitle>{texts.partial(result.fail.length, result.success)}</AlertTitle> : null}
        {kind === "failed" ? <AlertTitle>{texts.failedTitle}</AlertTitle> : null}
        {text === undefined ? null : <Box>{text}</Box>}
      </Alert>
      {result.fail.length === 0 ? null : (
        <BatchFailures fail={result.fail} {...(renderObject === undefined ? {} : { renderObject })} />
      )}
    </Box>
  );
}
