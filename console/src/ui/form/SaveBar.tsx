// Appears with the first change of a page's form, says what will be saved, and stays in reach at the foot of the window.
import CheckRounded from "@mui/icons-material/CheckRounded";
import { Box, Button, CircularProgress } from "@mui/material";
import { useEffect, useState } from "react";

const confirmMs = 2000;

const said = { mr: "auto", minWidth: 0, display: "flex", alignItems: "center", gap: 2 };

type SaveBarProps = {
  /** Labels of the changed fields; none hides the bar. */
  changes: readonly string[];
  saving: boolean;
  /** Rises with every success; shows "Saved" for 2 s. */
  savedCount: number;
  onSave: () => void;
  onDiscard: () => void;
  saveLabel?: string;
  discardLabel?: string;
  /** Instead of "Unsaved changes: …". */
  message?: string;
};

export function SaveBar(props: SaveBarProps) {
  const { changes, saving, savedCount, message } = props;
  const [confirmed, setConfirmed] = useState(savedCount);
  useEffect(() => {
    const timer = setTimeout(() => setConfirmed(savedCount), confirmMs);
    return () => clearTimeout(timer);
  }, [savedCount]);
  const dirty = changes.length > 0;
  if (!dirty && confirmed === savedCount) return null;
  return (
    <Box
      role="region"
      aria-label={message ?? "Unsaved changes"}
      sx={{
        position: "sticky",
        bottom: 12,
        zIndex: 2,
        mt: 4,
        maxWidth: 640,
        display: "flex",
        alignItems: "center",
        flexWrap: "wrap",
        gap: 2,
        px: 4,
        py: 2,
        minHeight: 52,
        border: 1,
        borderColor: "divider",
        borderRadius: "8px",
        bgcolor: "background.paper",
        boxShadow: "0 8px 28px rgb(6 20 18 / 0.16)",
      }}
    >
      <Box role="status" sx={{ ...said, color: dirty ? "text.primary" : "success.main" }}>
        {dirty ? (
          (message ?? `Unsaved changes: ${changes.join(", ")}`)
        ) : (
          <>
            <CheckRounded fontSize="small" aria-hidden />
            Saved
          </>
        )}
      </Box>
      {dirty ? (
        <Box sx={{ display: "flex", gap: 2, ml: "auto" }}>
          <Button color="inherit" variant="outlined" disabled={saving} onClick={props.onDiscard}>
            {props.discardLabel ?? "Discard"}
          </Button>
          <Button
            variant="contained"
            aria-disabled={saving}
            onClick={saving ? undefined : props.onSave}
            startIcon={saving ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
          >
            {props.saveLabel ?? "Save"}
          </Button>
        </Box>
      ) : null}
    </Box>
  );
}
