// A switch or a checkbox with its label, as forms have them: one that is off says why, one that is being saved shows it.
import { Box, Checkbox, CircularProgress, FormControlLabel, type FormControlLabelProps, Switch } from "@mui/material";
import { Disabled } from "../../ui/feedback/Disabled.tsx";

type SwitchFieldProps = Pick<FormControlLabelProps, "label" | "sx"> & {
  checked: boolean;
  onChange: (on: boolean) => void;
  reason?: string | undefined;
  /** Name of the spinner beside it; null while nothing is being saved. */
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
