// A time of day that is typed in any common way, such as "930" or "9 pm"; shown as HH:MM once it is left.
import { OutlinedInput } from "@mui/material";
import { useRef, useState } from "react";
import { normalizeTime } from "./opening.rules.ts";

type TimeFieldProps = {
  id: string;
  label: string;
  value: string;
  onChange: (time: string) => void;
  onLeave: () => void;
  /** Id of the message, if the time is wrong. */
  describedBy: string | undefined;
};

export function TimeField({ id, label, value, onChange, onLeave, describedBy }: TimeFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  return (
    <OutlinedInput
      id={id}
      value={typed ?? value}
      placeholder="--:--"
      error={describedBy !== undefined}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(normalizeTime(target.value));
      }}
      onFocus={({ target }) => target.select()}
      // A click that focuses the field would otherwise place the cursor instead of selecting the time.
      onMouseDown={(event) => {
        if (document.activeElement === input.current) return;
        event.preventDefault();
        input.current?.focus();
      }}
      inputRef={input}
      onBlur={() => {
        setTyped(null);
        onLeave();
      }}
      sx={{ width: 76, fontVariantNumeric: "tabular-nums" }}
      slotProps={{
        input: {
          "aria-label": label,
          "aria-describedby": describedBy,
          autoComplete: "off",
          inputMode: "text",
          maxLength: 10,
        },
      }}
    />
  );
}
