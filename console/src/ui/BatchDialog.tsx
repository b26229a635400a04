// Changes many objects at once: what will happen, progress with Cancel, then the outcome with every failure and a retry. (spec 1 §2)
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useEffect, useId, useRef, useState } from "react";
import type { ReactNode } from "react";
import { BatchOutcome } from "./BatchOutcome.tsx";
import type { BatchTexts } from "./BatchOutcome.tsx";
import { BatchProgress } from "./BatchProgress.tsx";
import { Disabled } from "./Disabled.tsx";
import type { BatchResult, BatchState } from "./batchRun.ts";

/** Does the work. `onlyIds` is given on "Retry failed". Rejecting means that the call as a whole failed. */
export type BatchRun = (control: {
  onlyIds?: readonly string[];
  onProgress: (done: number) => void;
  signal: AbortSignal;
}) => Promise<BatchResult>;

type BatchDialogProps = {
  open: boolean;
  title: string;
  /** What will be changed: fields, preview, warning. */
  children: ReactNode;
  submitLabel: string;
  danger?: boolean;
  /** How many objects the selection holds. */
  total: number;
  run: BatchRun;
  texts: BatchTexts;
  /** Gets the result when something was tried. */
  onClose: (result?: BatchResult) => void;
  submitDisabledReason?: string | undefined;
  /** Shows a failed object instead of its bare id, e.g. as a link. */
  renderObject?: (id: string) => ReactNode;
  maxWidth?: number;
};

function reason(thrown: unknown): string {
  return thrown instanceof Error && thrown.message !== "" ? thrown.message : "The request failed.";
}

/** Props: `open`, `title`, `children`, `submitLabel`, `total`, `run`, `texts`, `onClose(result?)`, `danger?`, `submitDisabledReason?`, `renderObject?`, `maxWidth?` (600). */
export function BatchDialog(props: BatchDialogProps) {
  const { open, title, total, texts, danger = false } = props;
  const titleId = useId();
  const [state, setState] = useState<BatchState>({ step: "idle" });
  const abort = useRef<AbortController | null>(null);
  const outcomeRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state.step === "done") outcomeRef.current?.focus();
  }, [state.step]);

  const start = async (before: BatchResult, onlyIds?: readonly string[]) => {
    if (abort.current !== null) return;
    const controller = new AbortController();
    abort.current = controller;
    const count = onlyIds?.length ?? total;
    setState({ step: "saving", done: 0, total: count, startedAt: Date.now() });
    const onProgress = (done: number) =>
      setState((current) => (current.step === "saving" ? { ...current, done } : current));
    try {
      const result = await props.run({
        ...(onlyIds === undefined ? {} : { onlyIds }),
        onProgress,
        signal: controller.signal,
      });
      setState({ step: "done", result: { success: before.success + result.success, fail: result.fail } });
    } catch (thrown) {
      setState({ step: "done", result: before, general: controller.signal.aborted ? "Canceled." : reason(thrown) });
    } finally {
      abort.current = null;
    }
  };
  const close = () => {
    if (state.step === "saving") return;
    props.onClose(state.step === "done" ? state.result : undefined);
  };
  const none: BatchResult = { success: 0, fail: [] };

  return (
    <Dialog
      open={open}
      onClose={close}
      fullWidth
      aria-labelledby={titleId}
      slotProps={{
        paper: { sx: { maxWidth: props.maxWidth ?? 600, m: 4 } },
        transition: { onExited: () => setState({ step: "idle" }) },
      }}
    >
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <DialogContent>
        {state.step === "idle" ? (
          <Box sx={{ display: "flex", flexDirection: "column", gap: 4 }}>{props.children}</Box>
        ) : null}
        {state.step === "saving" ? (
          <BatchProgress done={state.done} total={state.total} startedAt={state.startedAt} />
        ) : null}
        {state.step === "done" ? (
          <BatchOutcome
            ref={outcomeRef}
            state={state}
            texts={texts}
            {...(props.renderObject === undefined ? {} : { renderObject: props.renderObject })}
          />
        ) : null}
      </DialogContent>
      <DialogActions>
        {state.step === "idle" ? (
          <>
            <Button color="inherit" variant="outlined" onClick={close} autoFocus={danger}>
              Cancel
            </Button>
            <Disabled reason={props.submitDisabledReason}>
              <Button variant="contained" color={danger ? "error" : "primary"} onClick={() => void start(none)}>
                {props.submitLabel}
              </Button>
            </Disabled>
          </>
        ) : null}
        {state.step === "saving" ? (
          <Button color="inherit" variant="outlined" onClick={() => abort.current?.abort()}>
            Cancel
          </Button>
        ) : null}
        {state.step === "done" ? (
          <>
            {state.result.fail.length === 0 ? null : (
              <Button
                color="inherit"
                variant="outlined"
                onClick={() =>
                  void start(
                    { success: state.result.success, fail: [] },
                    state.result.fail.map((each) => each.id),
                  )
                }
              >
                Retry failed
              </Button>
            )}
            <Button variant="contained" onClick={close}>
              Close
            </Button>
          </>
        ) : null}
      </DialogActions>
    </Dialog>
  );
}
