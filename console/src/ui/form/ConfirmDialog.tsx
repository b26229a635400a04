// Asks before something irreversible: names object and consequence, and puts the focus on the button that does no harm.
import {
  Alert,
  Box,
  Button,
  CircularProgress,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField,
} from "@mui/material";
import { type ReactNode, useId, useRef, useState } from "react";
import { Disabled } from "../feedback/Disabled.tsx";

type ConfirmDialogProps = {
  open: boolean;
  /** Names the object, e.g. "Delete Sensor". */
  title: string;
  /** The sentence with object and consequence. */
  children: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** The dialog stays busy until the promise settles; show failures through `error`. */
  onConfirm: () => void | Promise<unknown>;
  onClose: () => void;
  /** Magenta confirm button; default true. */
  danger?: boolean;
  error?: ReactNode;
  /** Asks to type this word first. */
  typeToConfirm?: string;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, title, danger = true, typeToConfirm } = props;
  const titleId = useId();
  const textId = useId();
  const cancelRef = useRef<HTMLButtonElement>(null);
  const { busy, run } = useOneAtATime();
  const [typed, setTyped] = useState("");
  const isTyped = typeToConfirm === undefined || typed.trim() === typeToConfirm;
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
        transition: { onEnter: () => cancelRef.current?.focus(), onExited: () => setTyped("") },
      }}
    >
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <DialogContent>
        <Box id={textId} sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>
          {props.children}
        </Box>
        {typeToConfirm === undefined ? null : (
          <TextField
            label={`Type "${typeToConfirm}" to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            autoComplete="off"
            sx={{ mt: 4 }}
          />
        )}
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
        <Disabled reason={isTyped ? undefined : `Type "${typeToConfirm}" first`}>
          <Button
            variant="contained"
            color={danger ? "error" : "primary"}
            aria-disabled={busy}
            onClick={() => void run(props.onConfirm)}
            startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
          >
            {props.confirmLabel}
          </Button>
        </Disabled>
      </DialogActions>
    </Dialog>
  );
}

/** Does one thing at a time: while it is `busy`, further calls do nothing. */
export function useOneAtATime() {
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

/** The question of `useDirtyGuard`: keep editing (focused) or throw the changes away. */
export function DiscardDialog(props: { open: boolean; onStay: () => void; onDiscard: () => void }) {
  return (
    <ConfirmDialog
      open={props.open}
      title="Discard changes?"
      confirmLabel="Discard changes"
      cancelLabel="Keep editing"
      onConfirm={props.onDiscard}
      onClose={props.onStay}
    >
      Your changes have not been saved. They are lost when you leave.
    </ConfirmDialog>
  );
}
