// A field for one file.
import { TextField } from "@mui/material";
import { useState } from "react";

type FileFieldProps = {
  label: string;
  /** File extension such as `.csv`. */
  accept: string;
  file: File | null;
  onChange: (file: File | null) => void;
  /** Returns what is wrong with the file, or with having none. */
  faultOf: (file: File | null) => string | undefined;
  submitted: boolean;
};

export function FileField({ label, accept, file, onChange, faultOf, submitted }: FileFieldProps) {
  const [left, setLeft] = useState(false);
  const fault = submitted || left || file !== null ? faultOf(file) : undefined;
  return (
    <TextField
      type="file"
      label={label}
      required
      error={fault !== undefined}
      helperText={fault}
      onBlur={() => setLeft(true)}
      onChange={(event) => onChange((event.target as HTMLInputElement).files?.[0] ?? null)}
      slotProps={{ inputLabel: { shrink: true }, htmlInput: { accept } }}
      sx={{
        "& input::file-selector-button": {
          font: "inherit",
          fontWeight: 600,
          mr: 3,
          px: 2,
          py: 0,
          border: 0,
          borderRadius: 1,
          bgcolor: "action.selected",
          color: "text.primary",
          cursor: "pointer",
        },
      }}
    />
  );
}
