// Banner shown when a form has restored an unsaved draft after a page load, with a button to discard it.
import { Alert, Button } from "@mui/material";

export const restoredText = "Unsaved changes restored";

export function RestoredNotice({ onDiscard }: { onDiscard: () => void }) {
  return (
    <Alert
      severity="info"
      role="status"
      action={
        <Button size="small" color="inherit" onClick={onDiscard}>
          Discard
        </Button>
      }
    >
      {restoredText}
    </Alert>
  );
}
