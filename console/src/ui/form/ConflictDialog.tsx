// Shown if someone else saved the same object first: the user chooses which version stays.
import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { useId } from "react";

type ConflictDialogProps = {
  open: boolean;
  /** The changed object, e.g. "This sensor". */
  subject: string;
  /** The author and time of the change, if known: "Changed by X at 12:04." */
  detail?: string | undefined;
  /** Loads the other version and discards the user's input. */
  onReload: () => void;
  /** Saves the user's input over the other version. */
  onOverwrite: () => void;
  onClose: () => void;
};

export function ConflictDialog({ open, subject, detail, onReload, onOverwrite, onClose }: ConflictDialogProps) {
  const titleId = useId();
  const textId = useId();
  return (
    <Dialog
      open={open}
      onClose={onClose}
      role="alertdialog"
      aria-labelledby={titleId}
      aria-describedby={textId}
      slotProps={{ paper: { sx: { maxWidth: 460, m: 4 } } }}
    >
      <DialogTitle id={titleId}>Someone else made changes</DialogTitle>
      <DialogContent id={textId} sx={{ color: "text.secondary" }}>
        {`${subject} was changed since you opened it. Reload shows the new version and discards your changes. Overwrite saves only the fields you changed.`}
        {detail === undefined ? null : <p style={{ marginBottom: 0 }}>{detail}</p>}
      </DialogContent>
      <DialogActions>
        <Button color="inherit" variant="outlined" onClick={onClose}>
          Keep editing
        </Button>
        <Button color="error" variant="outlined" onClick={onOverwrite}>
          Overwrite
        </Button>
        <Button variant="contained" onClick={onReload} autoFocus>
          Reload
        </Button>
      </DialogActions>
    </Dialog>
  );
}
