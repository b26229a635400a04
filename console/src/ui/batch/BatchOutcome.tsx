// Outcome of a batch, with a summary and a list of the failed objects (docs/rules/console.md#batch-dialogs).
import { serverErrors } from "@psp/contract/errors.ts";
import type { NamedObject } from "@psp/contract/kit/refusal.ts";
import ExpandMoreRounded from "~icons/ic/round-expand-more";
import { Alert, AlertTitle, Box, Button, Collapse } from "@mui/material";
import { type ReactNode, type Ref, useId, useState } from "react";
import { CopyButton } from "../CopyButton.tsx";
import { Mono } from "../Mono.tsx";
import { LinkedText, ObjectLink } from "../ObjectLink.tsx";
import { BatchProgress } from "./BatchProgress.tsx";
import {
  type BatchFailure,
  type BatchResult,
  type BatchState,
  classifyOutcome,
  findSharedFailure,
  failureMessage,
} from "./batchRun.ts";

export type BatchTexts = {
  /** E.g. "Successfully updated all 5 account(s)!" */
  success: (changed: number) => string;
  /** E.g. "2 account(s) failed to update! 3 account(s) was/were updated successfully." */
  partial: (failed: number, changed: number) => string;
  /** Title when nothing changed: "Saving Failed", "Deletion Failed". */
  failedTitle: string;
  /** Shown if anything changed, e.g. a link to the installations that the batch started. */
  after?: ((result: BatchResult) => ReactNode) | undefined;
  /** Type of the failed objects; makes them links. */
  about?: NamedObject["type"] | undefined;
};

type BatchOutcomeProps = {
  ref?: Ref<HTMLDivElement>;
  state: BatchState & { step: "done" };
  texts: BatchTexts;
  /** Renders the name of a failed object beside its id; nothing if its name is unknown. */
  renderName?: ((id: string) => ReactNode) | undefined;
};

export function BatchStatus({ state, ...outcome }: Omit<BatchOutcomeProps, "state"> & { state: BatchState }) {
  if (state.step === "saving") return <BatchProgress {...state} />;
  return state.step === "done" ? <BatchOutcome state={state} {...outcome} /> : null;
}

const severities = { partial: "warning", failed: "error" } as const;

function BatchOutcome({ ref, state, texts, renderName }: BatchOutcomeProps) {
  const { result, general } = state;
  const { success, fail } = result;
  const kind = classifyOutcome(state);
  const same = findSharedFailure(fail);
  const reason = general ?? (same && <FailureWords failure={same} />);
  return (
    <Box ref={ref ?? null} tabIndex={-1} sx={{ outline: "none" }}>
      {kind === "success" ? (
        <Alert severity="success" role="status">
          {texts.success(success)}
        </Alert>
      ) : (
        <Alert severity={severities[kind]} role="alert">
          <AlertTitle>{kind === "partial" ? texts.partial(fail.length, success) : texts.failedTitle}</AlertTitle>
          {reason === undefined ? null : <Box>{reason}</Box>}
        </Alert>
      )}
      {success === 0 ? null : texts.after?.(result)}
      {fail.length === 0 ? null : <BatchFailures fail={fail} about={texts.about} renderName={renderName} />}
    </Box>
  );
}

const stepSize = 100;

function FailureWords({ failure }: { failure: Omit<BatchFailure, "id"> }) {
  const { errMessage, details } = failure;
  return (
    <>
      {errMessage}
      {details === undefined ? null : (
        <>
          {" "}
          <LinkedText text={details.reason} object={details.object} />
        </>
      )}
    </>
  );
}

type BatchFailuresProps = Pick<BatchTexts, "about"> &
  Pick<BatchOutcomeProps, "renderName"> & { fail: readonly BatchFailure[] };

/** The expandable 'Details' with a copy button. Shows 100 failures at a time. */
function BatchFailures({ fail, about, renderName }: BatchFailuresProps) {
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState(stepSize);
  const listId = useId();
  /** Links a failed object to its page, unless it doesn't exist. */
  const leading = ({ id, errMessage }: BatchFailure, shown: ReactNode) =>
    about === undefined || errMessage === serverErrors.notFound.message ? (
      shown
    ) : (
      <ObjectLink object={{ type: about, id, name: id }}>{shown}</ObjectLink>
    );
  const asText = fail.map((each) => `${each.id}\t${failureMessage(each)}`).join("\n");
  return (
    <Box sx={{ mt: 2 }}>
      <Box sx={{ display: "flex", alignItems: "center", justifyContent: "space-between" }}>
        <Button
          size="small"
          color="inherit"
          aria-expanded={open}
          aria-controls={listId}
          onClick={() => setOpen(!open)}
          endIcon={
            <ExpandMoreRounded sx={{ transform: open ? "rotate(180deg)" : "none", transition: "transform 150ms" }} />
          }
        >
          Details
        </Button>
        <CopyButton value={asText} label="Copy failures" />
      </Box>
      <Collapse in={open} unmountOnExit>
        <Box
          component="ul"
          id={listId}
          tabIndex={0}
          aria-label="Failures"
          sx={{
            listStyle: "none",
            m: 0,
            p: 0,
            border: 1,
            borderColor: "divider",
            borderRadius: 1,
            maxHeight: 320,
            overflowY: "auto",
          }}
        >
          {fail.slice(0, shown).map((each) => (
            <Box component="li" key={each.id} sx={{ px: 3, py: 2, "& + &": { borderTop: 1, borderColor: "divider" } }}>
              <Box sx={{ overflowWrap: "anywhere" }}>
                <FailureWords failure={each} />
              </Box>
              <Box sx={{ color: "text.secondary", fontSize: "0.75rem", overflowWrap: "anywhere" }}>
                {"Object ID: "}
                {leading(each, <Mono>{each.id}</Mono>)} {renderName?.(each.id)}
              </Box>
            </Box>
          ))}
        </Box>
        {fail.length <= shown ? null : (
          <Button size="small" color="inherit" onClick={() => setShown(shown + stepSize)} sx={{ mt: 1 }}>
            {`Show more (${fail.length - shown} left)`}
          </Button>
        )}
      </Collapse>
    </Box>
  );
}
