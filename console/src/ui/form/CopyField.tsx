// A value that can't be changed, only copied: a sum or a token, in the mono face.
import { TextField } from "@mui/material";
import { monoFont } from "../theme/theme.ts";
import { CopyButton } from "../CopyButton.tsx";

export function CopyField({ label, value, copyLabel }: { label: string; value: string; copyLabel: string }) {
  return (
    <TextField
      label={label}
      value={value}
      slotProps={{
        input: {
          readOnly: true,
          endAdornment: <CopyButton value={value} label={copyLabel} />,
          sx: { "& input": { fontFamily: monoFont, textOverflow: "ellipsis" } },
        },
      }}
    />
  );
}
