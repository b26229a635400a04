// A dialog that loads on first open; if loading fails, an error with a retry appears over the unchanged page (ER-04).
import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { type ComponentType, useEffect, useId, useState } from "react";
import { LoadingBar } from "./LoadingBar.tsx";

/** Loads the dialog; rejects with the error to show. */
type LoadDialog<Props> = () => Promise<ComponentType<Props>>;

const loaded = new WeakMap<object, ComponentType<never>>();

/** `load` must be the same function on every render; `show` holds the dialog's props. */
type LazyDialogProps<Props> = { load: LoadDialog<Props>; onClose: () => void; show: Props };
type KeepMountedProps = { open: boolean; onClose: () => void };
type State<Props> = { dialog: ComponentType<Props> } | { failed: string } | null;

export function LazyDialog<Props extends object>({ load, onClose, show }: LazyDialogProps<Props>) {
  const [state, setState] = useState<State<Props>>(() => {
    const known = loaded.get(load) as ComponentType<Props> | undefined;
    return known === undefined ? null : { dialog: known };
  });
  const [attempt, setAttempt] = useState(0);
  const titleId = useId();
  const missing = state === null;
  useEffect(() => {
    if (!missing) return;
    let gone = false;
    load().then(
      (dialog) => {
        loaded.set(load, dialog as ComponentType<never>);
        if (!gone) setState({ dialog });
      },
      (error: unknown) => {
        if (!gone) setState({ failed: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => void (gone = true);
  }, [load, missing, attempt]);
  if (state === null) return <LoadingBar />;
  if ("dialog" in state) return <state.dialog {...show} />;
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId}>
      <DialogTitle id={titleId}>{state.failed}</DialogTitle>
      <DialogContent>
        The console may have been updated, or the connection was lost. If trying again doesn't help, reload the page.
      </DialogContent>
      <DialogActions>
        <Button color="inherit" variant="outlined" onClick={onClose}>
          Close
        </Button>
        <Button
          variant="contained"
          autoFocus
          onClick={() => {
            setState(null);
            setAttempt(attempt + 1);
          }}
        >
          Try again
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/**
 * For dialogs with an `open` prop: stays mounted after the first open, so that closing is animated. After a failed load, shows
 * the error until it is closed.
 */
export function KeepMountedDialog<Props extends KeepMountedProps>({
  load,
  show,
}: Omit<LazyDialogProps<Props>, "onClose">) {
  const { open, onClose } = show;
  const [used, setUsed] = useState(open);
  if (open && !used) setUsed(true);
  const giveUp = () => {
    setUsed(false);
    onClose();
  };
  return used ? <LazyDialog load={load} onClose={giveUp} show={show} /> : null;
}
