// Somebody else saved the same object first: the person decides which of the two versions stays.
import { Button, Dialog, DialogActions, DialogContent, DialogTitle } from "@mui/material";
import { useId } from "react";

type ConflictDialogProps = {
  open: boolean;
  /** What was changed, e.g. "This sensor". */
  subject: string;
  /** Who and when, where it is known: "Changed by X at 12:04." */
  detail?: string | undefined;
  /** Takes over the other version; one's own input is lost. */
  onReload: () => void;
  /** Saves one's own input over the other version. */
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
