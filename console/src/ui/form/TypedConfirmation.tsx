// A word or a number that must be typed before something large is done: no habit of clicking does it.
import { TextField } from "@mui/material";
import { type ReactNode, useRef, useState } from "react";

type TypedConfirmation = {
  /** For the button: whether it may be done. While it may not, the field says so and has the focus. */
  check: () => boolean;
  field: ReactNode;
  /** Forgets what was typed. */
  reset: () => void;
};

/** Undefined asks for nothing. */
export function useTypedConfirmation(word: string | undefined): TypedConfirmation {
  const [typed, setTyped] = useState("");
  const [missed, setMissed] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const isTyped = word === undefined || typed.trim() === word.trim();
  return {
    check: () => {
      setMissed(!isTyped);
      if (!isTyped) input.current?.focus();
      return isTyped;
    },
    field:
      word === undefined ? null : (
        <TextField
          label={`Type ${word} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          inputRef={input}
          error={missed && !isTyped}
          helperText={missed && !isTyped ? `Type ${word} first` : undefined}
          autoComplete="off"
          slotProps={{ htmlInput: { spellCheck: false, ...(/^\d+$/u.test(word) && { inputMode: "numeric" }) } }}
        />
      ),
    reset: () => {
      setTyped("");
      setMissed(false);
    },
  };
}
