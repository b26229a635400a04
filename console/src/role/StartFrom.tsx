// What a new role starts from: templates, each cut down to what the maker may give, and what was left out of it.
import { Alert, Box, FormControl, FormControlLabel, FormLabel, Radio, RadioGroup } from "@mui/material";
import { useId } from "react";
import { useActor } from "../session/session.tsx";
import { roleText as text } from "./role.text.ts";
import { type Start, startOf, starts } from "./templates.ts";

export function StartFrom({ value, onChange }: { value: Start; onChange: (start: Start) => void }) {
  const id = useId();
  const { leftOut } = startOf(useActor(), value);
  return (
    <FormControl>
      <FormLabel id={id} sx={{ fontWeight: 600, color: "text.primary" }}>
        {text.startFrom}
      </FormLabel>
      <RadioGroup
        aria-labelledby={id}
        aria-describedby={`${id}-says`}
        value={value}
        onChange={(event) => onChange(event.target.value as Start)}
        sx={{ flexDirection: "row", columnGap: 4 }}
      >
        {starts.map((start) => (
          <FormControlLabel key={start} value={start} control={<Radio size="small" />} label={text.starts[start]} />
        ))}
      </RadioGroup>
      <Box id={`${id}-says`} role="status" sx={{ display: "grid", gap: 2, color: "text.secondary" }}>
        <span>{text.startSays[value]}</span>
        {leftOut.length === 0 ? null : <Alert severity="info">{text.leftOut(leftOut)}</Alert>}
      </Box>
    </FormControl>
  );
}
