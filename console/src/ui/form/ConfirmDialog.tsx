// Confirms an irreversible action: names object and consequence, and focuses the harmless button.
import { Alert, Box, Button, CircularProgress, Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { type ReactNode, useId, useRef, useState } from "react";
import { useTypedConfirmation } from "./TypedConfirmation.tsx";

type ConfirmDialogProps = {
  open: boolean;
  /** Names the object, e.g. "Delete Sensor". */
  title: string;
  /** Text that names the object and the consequence. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** The dialog stays busy until the promise settles; show failures through `error`. */
  onConfirm: () => void | Promise<unknown>;
  onClose: () => void;
  /** Called after the closing animation; for moving the focus if the opening button no longer exists. */
  onExited?: () => void;
  /** Magenta confirm button; default true. */
  danger?: boolean;
  error?: ReactNode;
  /** Buttons between Cancel and confirm. */
  moreActions?: ReactNode;
  /** Rendered below the text. */
  fields?: ReactNode;
  /** A word that must be typed to confirm. */
  typeToConfirm?: string;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, title, danger = true, typeToConfirm } = props;
  const titleId = useId();
  const textId = useId();
  const cancelRef = useRef<HTMLButtonElement>(null);
  const { busy, run } = useBusyAction();
  const typed = useTypedConfirmation(typeToConfirm);
  return (
    <Dialog
      open={open}
      onClose={() => (busy ? undefined : props.onClose())}
      role="alertdialog"
      aria-labelledby={titleId}
      aria-describedby={textId}
      fullWidth
      slotProps={{
        paper: { sx: { maxWidth: 440, m: 4 } },
        transition: { onEnter: () => cancelRef.current?.focus(), onExited: () => (typed.reset(), props.onExited?.()) },
      }}
    >
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <DialogContent>
        <Box id={textId} sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>
          {props.children}
        </Box>
        {props.fields}
        {typeToConfirm === undefined ? null : <Box sx={{ mt: 4 }}>{typed.field}</Box>}
        {props.error ? (
          <Alert severity="error" sx={{ mt: 4 }}>
            {props.error}
          </Alert>
        ) : null}
      </DialogContent>
      <DialogActions>
        <Button ref={cancelRef} color="inherit" variant="outlined" onClick={props.onClose} disabled={busy}>
          {props.cancelLabel ?? "Cancel"}
        </Button>
        {props.moreActions}
        <Button
          variant="contained"
          color={danger ? "error" : "primary"}
          aria-disabled={busy}
          onClick={() => {
            if (typed.check()) void run(props.onConfirm);
          }}
          startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
        >
          {props.confirmLabel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Runs one action at a time: calls while `busy` are ignored. */
export function useBusyAction() {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const run = async (work: () => unknown) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, run };
}

type DiscardDialogProps = {
  open: boolean;
  onStay: () => void;
  onDiscard: () => void;
  /** Closes the form and keeps the input as a draft. */
  onKeep?: (() => void) | undefined;
  /** States which input is not kept in the draft. */
  unkept?: string | undefined;
};

/**
 * Converts the result of `useDirtyGuard` to props of DiscardDialog. `onDiscard` deletes the draft, if the form has one. `keeps` is
 * false while the draft is empty.
 */
export function toDiscardDialogProps(
  { asking, stay, leave }: { asking: boolean; stay: () => void; leave: () => void },
  onDiscard?: () => void,
  keeps = true,
): DiscardDialogProps {
  if (onDiscard === undefined) return { open: asking, onStay: stay, onDiscard: leave };
  const discard = () => {
    onDiscard();
    leave();
  };
  return { open: asking, onStay: stay, onDiscard: discard, ...(keeps && { onKeep: leave }) };
}

/** Asks whether to continue editing (focused), keep the changes as a draft, or discard them. */
export function DiscardDialog({ open, onStay, onDiscard, onKeep, unkept }: DiscardDialogProps) {
  return (
    <ConfirmDialog
      open={open}
      title="Discard changes?"
      confirmLabel="Discard changes"
      cancelLabel="Keep editing"
      onConfirm={onDiscard}
      onClose={onStay}
      moreActions={
        onKeep === undefined ? undefined : (
          <Button color="inherit" variant="outlined" onClick={onKeep}>
            Keep for later
          </Button>
        )
      }
    >
      {onKeep === undefined
        ? "Your changes have not been saved. They will be lost if you leave."
        : "Your changes have not been saved. Discard them, or keep them for when you return to this page in this tab."}
      {onKeep === undefined || unkept === undefined ? null : ` ${unkept}`}
    </ConfirmDialog>
  );
}
