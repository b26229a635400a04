// Changes many objects at once: what will happen, progress with Cancel, then the outcome with every failure and a retry.
// Below a BatchJobsProvider a running batch survives that its dialog or page is left.
import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Stack } from "@mui/material";
import { type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { BatchStep, type BatchTexts } from "./BatchOutcome.tsx";
import { useTypedConfirmation } from "../form/TypedConfirmation.tsx";
import { useBatchJobs } from "./BatchJobs.tsx";
import { type BatchJob, type BatchRun, createBatchJob, noJob } from "./batchJob.ts";
import type { BatchResult } from "./batchRun.ts";

type BatchDialogProps = {
  title: string;
  /** What will be changed: fields, preview, warning. */
  children: ReactNode;
  submitLabel: string;
  /** It destroys: Cancel has the focus, and for more than ten their number is to be typed. */
  danger?: boolean;
  total: number;
  run: BatchRun;
  texts: BatchTexts;
  /** Gets the result when something was tried. */
  onClose: (result?: BatchResult) => void;
  /** A field says what is wrong with it: nothing begins until it is right. */
  invalid?: boolean;
  /** It was to begin all the same. */
  onInvalid?: () => void;
  /** Names a failed object beside its id; nothing where its name is not known. */
  renderName?: (id: string) => ReactNode;
};

/** More than these are deleted only after their number was typed. */
const mostUnasked = 10;

export function BatchDialog(props: BatchDialogProps) {
  const { title, total, texts, danger = false } = props;
  const titleId = useId();
  const [job, setJob] = useState<BatchJob | null>(null);
  const typed = useTypedConfirmation(danger && total > mostUnasked ? String(total) : undefined);
  const { subscribe, getState } = job ?? noJob;
  const state = useSyncExternalStore(subscribe, getState);
  const jobs = useBatchJobs();
  const outcomeRef = useRef<HTMLDivElement>(null);
  const last = useRef({ title, texts });
  useEffect(() => {
    last.current = { title, texts };
  });
  useEffect(() => {
    if (state.step === "done") outcomeRef.current?.focus();
  }, [state.step]);
  // A batch that still runs when its dialog goes is handed over, not stopped.
  useEffect(() => {
    if (job === null || jobs === null) return;
    jobs.release(job);
    return () => {
      if (job.getState().step === "saving") jobs.adopt({ job, ...last.current });
    };
  }, [job, jobs]);

  const start = () => {
    if (!typed.check()) return;
    if (props.invalid === true) return props.onInvalid?.();
    // Idle again: the run asked for another look.
    if (job !== null && job.getState().step !== "idle") return;
    const started = createBatchJob(total, props.run);
    setJob(started);
    started.start();
  };
  const close = () => {
    if (state.step === "saving" && jobs === null) return;
    props.onClose(state.step === "done" ? state.result : undefined);
  };

  return (
    <Dialog
      open
      onClose={close}
      fullWidth
      aria-labelledby={titleId}
      slotProps={{ paper: { sx: { maxWidth: 600, m: 4 } } }}
    >
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <DialogContent>
        {state.step === "idle" ? (
          <Stack sx={{ gap: 4 }}>
            {props.children}
            {typed.field}
          </Stack>
        ) : (
          <BatchStep ref={outcomeRef} state={state} texts={texts} renderName={props.renderName} />
        )}
      </DialogContent>
      <DialogActions>
        {state.step === "idle" ? (
          <>
            <Button color="inherit" variant="outlined" onClick={close} autoFocus={danger}>
              Cancel
            </Button>
            <Button variant="contained" color={danger ? "error" : "primary"} onClick={start}>
              {props.submitLabel}
            </Button>
          </>
        ) : null}
        {state.step === "saving" ? (
          <SavingActions onCancel={job?.cancel} onContinue={jobs === null ? undefined : close} />
        ) : null}
        {state.step === "done" ? (
          <DoneActions onRetry={state.result.fail.length === 0 ? undefined : job?.retry} onClose={close} />
        ) : null}
      </DialogActions>
    </Dialog>
  );
}

type SavingActionsProps = { onCancel: (() => void) | undefined; onContinue: (() => void) | undefined };

const SavingActions = ({ onCancel, onContinue }: SavingActionsProps) => (
  <>
    {onContinue === undefined ? null : (
      <Button color="inherit" onClick={onContinue}>
        Continue in background
      </Button>
    )}
    <Button color="inherit" variant="outlined" onClick={onCancel}>
      Cancel
    </Button>
  </>
);

const DoneActions = ({ onRetry, onClose }: { onRetry: (() => void) | undefined; onClose: () => void }) => (
  <>
    {onRetry === undefined ? null : (
      <Button color="inherit" variant="outlined" onClick={onRetry}>
        Retry failed
      </Button>
    )}
    <Button variant="contained" onClick={onClose}>
      Close
    </Button>
  </>
);
