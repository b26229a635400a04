// A password field with a show button and a caps lock hint; supports password managers and pasting.
import VisibilityOffOutlined from "~icons/ic/outline-visibility-off";
import VisibilityOutlined from "~icons/ic/outline-visibility";
import { IconButton, InputAdornment } from "@mui/material";
import { type KeyboardEvent, useState } from "react";
import { PlainField, type PlainFieldProps } from "./PlainField.tsx";

type PasswordFieldProps = Omit<PlainFieldProps, "type" | "autoComplete" | "onKeyUp" | "isHelpLive"> & {
  /** `current-password` for signing in, `new-password` for choosing one. */
  autoComplete: "current-password" | "new-password";
};

export function PasswordField({ autoComplete, helperText, ...props }: PasswordFieldProps) {
  const [visible, setVisible] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState("CapsLock"));
  const label = visible ? "Hide password" : "Show password";
  return (
    <PlainField
      {...props}
      type={visible ? "text" : "password"}
      autoComplete={autoComplete}
      onKeyUp={watchCapsLock}
      helperText={capsLock ? "Caps lock is on" : helperText}
      isHelpLive
      inputProps={{
        spellCheck: false,
        autoCapitalize: "none",
        autoCorrect: "off",
        "aria-readonly": props.readOnly,
      }}
      endAdornment={
        <InputAdornment position="end">
          <IconButton
            size="small"
            edge="end"
            aria-label={label}
            disabled={props.disabled ?? false}
            onClick={() => setVisible(!visible)}
            onMouseDown={(event) => event.preventDefault()}
          >
            {visible ? <VisibilityOffOutlined /> : <VisibilityOutlined />}
          </IconButton>
        </InputAdornment>
      }
    />
  );
}
