// Choice of what a batch does with a field, such as adding or replacing; there is no default.
import { FormControl, FormControlLabel, FormHelperText, FormLabel, Radio, RadioGroup } from "@mui/material";
import { useId } from "react";

type BatchWaysProps<W extends string> = {
  ways: Readonly<Record<W, string>>;
  value: W | null;
  onChange: (way: W) => void;
  error: boolean;
  /** Radio buttons beside each other if they fit. */
  row?: boolean;
};

const batchWaysText = { whatToDo: "What to do", choose: "Choose one of these" } as const;

export function BatchWays<W extends string>({ ways, value, onChange, error, row = false }: BatchWaysProps<W>) {
  const id = useId();
  return (
    <FormControl error={error}>
      <FormLabel id={id}>{batchWaysText.whatToDo}</FormLabel>
      <RadioGroup
        row={row}
        aria-labelledby={id}
        aria-describedby={`${id}-error`}
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value as W)}
      >
        {Object.entries<string>(ways).map(([way, words]) => (
          <FormControlLabel key={way} value={way} control={<Radio />} label={words} />
        ))}
      </RadioGroup>
      {error ? (
        <FormHelperText id={`${id}-error`} role="alert">
          {batchWaysText.choose}
        </FormHelperText>
      ) : null}
    </FormControl>
  );
}
