// A labeled switch or checkbox for forms, with the reason if it is disabled, and a spinner while it is being saved.
import { Box, Checkbox, CircularProgress, FormControlLabel, type FormControlLabelProps, Switch } from "@mui/material";
import { Disabled } from "../../ui/feedback/Disabled.tsx";

type SwitchFieldProps = Pick<FormControlLabelProps, "label" | "sx"> & {
  checked: boolean;
  onChange: (on: boolean) => void;
  reason?: string | undefined;
  /** Accessible name of the spinner; null while nothing is being saved. */
  saving?: string | null;
  id?: string;
  isInvalid?: boolean;
  describedBy?: string;
};

type Control = { Control: typeof Switch | typeof Checkbox };

function Labeled({ Control, reason, saving, checked, onChange, ...props }: SwitchFieldProps & Control) {
  const { id, isInvalid, describedBy, ...label } = props;
  const input = {
    ...(isInvalid !== undefined && { "aria-invalid": isInvalid }),
    ...(describedBy !== undefined && { "aria-describedby": describedBy }),
  };
  const field = (
    <FormControlLabel
      {...label}
      control={
        <Disabled kind="input" reason={reason}>
          <Control
            {...(id !== undefined && { id })}
            checked={checked}
            onChange={(_, on) => onChange(on)}
            slotProps={{ input }}
          />
        </Disabled>
      }
    />
  );
  if (saving === undefined) return field;
  return (
    <Box sx={{ display: "flex", alignItems: "center" }}>
      {field}
      {saving === null ? null : <CircularProgress size={14} aria-label={saving} />}
    </Box>
  );
}

export const SwitchField = (props: SwitchFieldProps) => <Labeled {...props} Control={Switch} />;
export const CheckField = (props: SwitchFieldProps) => <Labeled {...props} Control={Checkbox} />;
