// A form in the frame of `EntryScreen`: its fields and the one button that sends them.
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import type { ReactNode, SubmitEventHandler } from "react";

type EntryFormProps = {
  busy: boolean;
  submitLabel: string;
  onSubmit: SubmitEventHandler<HTMLElement>;
  onBlur?: () => void;
  wide?: boolean;
  children: ReactNode;
};

export function EntryForm({ busy, submitLabel, onSubmit, onBlur, wide = false, children }: EntryFormProps) {
  return (
    <Box
      component="form"
      noValidate
      aria-busy={busy}
      onBlur={onBlur}
      onSubmit={onSubmit}
      sx={{ display: "flex", flexDirection: "column", gap: wide ? 7 : 4 }}
    >
      {children}
      <Button
        type="submit"
        variant="contained"
        disabled={busy}
        startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
        sx={{ minHeight: 40, ...(wide && { alignSelf: { sm: "flex-start" }, px: 8 }) }}
      >
        {submitLabel}
      </Button>
    </Box>
  );
}
