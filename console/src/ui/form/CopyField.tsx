// A read-only value with a copy button, such as a checksum or token, in the mono font.
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
