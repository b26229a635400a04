// Dialog of a batch: shows its fields, then its progress, then its outcome with failures and a retry. Inside a BatchJobsProvider,
// a running batch continues after its dialog or page is closed.
import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Stack } from "@mui/material";
import { type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { BatchStatus, type BatchTexts } from "./BatchOutcome.tsx";
import { useTypedConfirmation } from "../form/TypedConfirmation.tsx";
import { useBatchJobs } from "./BatchJobs.tsx";
import { type BatchJob, type BatchRun, createBatchJob, idleJob } from "./batchJob.ts";
import type { BatchResult } from "./batchRun.ts";

type BatchDialogProps = {
  title: string;
  children: ReactNode;
  submitLabel: string;
  /** For destructive actions: focuses Cancel, and requires typing the number of objects if it exceeds ten. */
  danger?: boolean;
  total: number;
  run: BatchRun;
  texts: BatchTexts;
  /** Gets the result if the batch has ended. */
  onClose: (result?: BatchResult) => void;
  /** Whether a field has an error; the batch can't start until it is corrected. */
  invalid?: boolean;
  /** Called when the user tries to start an invalid batch. */
  onInvalid?: () => void;
  /** Renders the name of a failed object beside its id; nothing if its name is unknown. */
  renderName?: (id: string) => ReactNode;
};

/** A destructive batch of more objects than this requires typing their number. */
const mostUnasked = 10;

export function BatchDialog(props: BatchDialogProps) {
  const { title, total, texts, danger = false } = props;
  const titleId = useId();
  const [job, setJob] = useState<BatchJob | null>(null);
  const typed = useTypedConfirmation(danger && total > mostUnasked ? String(total) : undefined);
  const { subscribe, getState } = job ?? idleJob;
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
  // If the dialog unmounts while its batch is running, BatchJobsProvider shows the progress.
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
    // Starts only once, unless ConfirmAgainError has made the started job idle again.
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
          <BatchStatus ref={outcomeRef} state={state} texts={texts} renderName={props.renderName} />
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
