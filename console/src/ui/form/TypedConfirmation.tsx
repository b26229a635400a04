// Requires typing a word or number before a far-reaching action, so that it can't be clicked through out of habit.
import { TextField } from "@mui/material";
import { type ReactNode, useRef, useState } from "react";

type TypedConfirmation = {
  /** Returns whether the text is correct. If not, the field shows an error and takes the focus. */
  check: () => boolean;
  field: ReactNode;
  reset: () => void;
};

/** If `word` is undefined, nothing must be typed. */
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
