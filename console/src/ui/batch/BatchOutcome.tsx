// How a batch ended: all, some or none, the general text, and the failures behind 'Details'. (spec 1 §2, decisions 14)
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import Alert from "@mui/material/Alert";
import AlertTitle from "@mui/material/AlertTitle";
import Box from "@mui/material/Box";
import type { ReactNode, Ref } from "react";
import { BatchFailures, FailureWords } from "./BatchFailures.tsx";
import { type BatchState, outcomeOf, sameMessage } from "./batchRun.ts";

export type BatchTexts = {
  /** E.g. "Successfully updated all 5 account(s)!" */
  success: (changed: number) => string;
  /** E.g. "2 account(s) failed to update! 3 account(s) was/were updated successfully." */
  partial: (failed: number, changed: number) => string;
  /** Title when nothing changed: "Saving Failed", "Deletion Failed". */
  failedTitle: string;
  /** What kind of object a failure is about; it leads there. */
  about?: NamedObject["type"];
};

type BatchOutcomeProps = {
  ref?: Ref<HTMLDivElement>;
  state: BatchState & { step: "done" };
  texts: BatchTexts;
  renderObject?: (id: string) => ReactNode;
};

const severities = { success: "success", partial: "warning", failed: "error" } as const;

export function BatchOutcome({ ref, state, texts, renderObject }: BatchOutcomeProps) {
  const { result, general } = state;
  const kind = outcomeOf(state);
  const same = sameMessage(result.fail);
  return (
    <Box {...(ref === undefined ? {} : { ref })} tabIndex={-1} sx={{ outline: "none" }}>
      <Alert severity={severities[kind]} role={kind === "success" ? "status" : "alert"}>
        {kind === "success" ? texts.success(result.success) : null}
        {kind === "partial" ? <AlertTitle>{texts.partial(result.fail.length, result.success)}</AlertTitle> : null}
        {kind === "failed" ? <AlertTitle>{texts.failedTitle}</AlertTitle> : null}
        {kind === "success" ? null : general !== undefined ? (
          <Box>{general}</Box>
        ) : same === undefined ? null : (
          <Box>
            <FailureWords failure={same} />
          </Box>
        )}
      </Alert>
      {result.fail.length === 0 ? null : (
        <BatchFailures
          fail={result.fail}
          about={texts.about}
          {...(renderObject === undefined ? {} : { renderObject })}
        />
      )}
    </Box>
  );
}
