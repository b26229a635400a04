// Selects a template for a new role, and names the rights that the user may not grant.
import { Alert, Box, FormControl, FormControlLabel, FormLabel, Radio, RadioGroup } from "@mui/material";
import { useId } from "react";
import { useActor } from "../api/session/session.tsx";
import { roleText as text } from "./role.text.ts";
import { type RoleTemplate, applyTemplate, roleTemplates } from "./templates.ts";

export function TemplateSelect({ value, onChange }: { value: RoleTemplate; onChange: (start: RoleTemplate) => void }) {
  const id = useId();
  const { leftOut } = applyTemplate(useActor(), value);
  return (
    <FormControl>
      <FormLabel id={id}>{text.startFrom}</FormLabel>
      <RadioGroup
        aria-labelledby={id}
        aria-describedby={`${id}-says`}
        value={value}
        onChange={(event) => onChange(event.target.value as RoleTemplate)}
        sx={{ flexDirection: "row", columnGap: 4 }}
      >
        {roleTemplates.map((start) => (
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
