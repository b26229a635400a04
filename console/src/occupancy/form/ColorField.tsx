// Color field with the browser's color picker.
import { InputAdornment, TextField } from "@mui/material";
import { styled } from "@mui/material/styles";
import { isHexColor } from "../light/light.colors.ts";
import { elementId, type FormProps } from "./fields.ts";

type Props = Pick<FormProps, "errorOf" | "leave" | "readOnly"> & {
  fieldId: string;
  label: string;
  pickLabel: string;
  value: string;
  onChange: (value: string) => void;
};

const Swatch = styled("input")(({ theme }) => ({
  width: 28,
  height: 24,
  padding: 0,
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 4,
  backgroundColor: "transparent",
  cursor: "pointer",
  "&:disabled": { cursor: "default" },
  "&::-webkit-color-swatch-wrapper": { padding: 0 },
  "&::-webkit-color-swatch": { border: 0, borderRadius: 3 },
}));

export function ColorField({ fieldId, label, pickLabel, value, onChange, readOnly, errorOf, leave }: Props) {
  const error = errorOf(fieldId);
  return (
    <TextField
      id={elementId(fieldId)}
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onBlur={() => leave(fieldId)}
      error={error !== undefined}
      helperText={error}
      autoComplete="off"
      slotProps={{
        input: {
          readOnly,
          startAdornment: (
            <InputAdornment position="start">
              <Swatch
                type="color"
                aria-label={pickLabel}
                disabled={readOnly}
                value={isHexColor(value.trim()) ? value.trim().toLowerCase() : "#808080"}
                onChange={(event) => onChange(event.target.value)}
              />
            </InputAdornment>
          ),
        },
        htmlInput: { spellCheck: false },
      }}
    />
  );
}
