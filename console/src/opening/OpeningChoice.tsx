// Chooses between inherited and own opening hours, and edits the own ones.
import type { OpeningHours } from "@psp/contract/opening/opening-hours.ts";
import { Box, FormControl, FormControlLabel, Radio, RadioGroup } from "@mui/material";
import { type ReactNode, useState } from "react";
import { initialHours } from "./opening.rules.ts";
import { openingText as text } from "./opening.text.ts";
import { OpeningEditor, type OpeningEditorProps } from "./OpeningEditor.tsx";

type OpeningChoiceProps = Omit<OpeningEditorProps, "value" | "onChange"> & {
  /** Null inherits. */
  value: OpeningHours | null;
  onChange: (hours: OpeningHours | null) => void;
  labels: { inherit: string; own: string };
  /** First own hours, such as those inherited so far. */
  initial?: OpeningHours | null | undefined;
  /** Shown while hours are inherited. */
  children: ReactNode;
};

export function OpeningChoice({ value, onChange, labels, initial, children, ...editor }: OpeningChoiceProps) {
  // Hours return if the user switches to inheriting and back.
  const [own, setOwn] = useState<OpeningHours | null>(value);
  const edit = (hours: OpeningHours) => {
    setOwn(hours);
    onChange(hours);
  };
  return (
    <Box sx={{ display: "grid", gap: 4 }}>
      <FormControl>
        <RadioGroup
          aria-label={text.choice}
          value={value === null ? "inherit" : "own"}
          onChange={(_, choice) => (choice === "inherit" ? onChange(null) : edit(own ?? initial ?? initialHours))}
        >
          {(["inherit", "own"] as const).map((choice) => (
            <FormControlLabel
              key={choice}
              value={choice}
              control={<Radio size="small" id={`${editor.id}-${choice}`} />}
              label={labels[choice]}
              sx={{ overflowWrap: "anywhere" }}
            />
          ))}
        </RadioGroup>
      </FormControl>
      {value === null ? children : <OpeningEditor {...editor} value={value} onChange={edit} />}
    </Box>
  );
}
