// Radio buttons as cards: what a colleague may do, and what a colleague sees.
import {
  type AccessLevel,
  accessLevels,
  accessNames,
  findMissingRight,
  type SeenAccount,
} from "@psp/contract/permission/templates.ts";
import { getRightName } from "@psp/contract/permission/right-names.ts";
import { Box, FormControl, FormControlLabel, FormLabel, Radio, RadioGroup, Typography } from "@mui/material";
import { type ReactNode, useId } from "react";
import { useCan } from "../api/session/useCan.ts";
import { invitationText as text } from "./invitation.text.ts";

type AccessCardsProps = { value: AccessLevel; onChange: (level: AccessLevel) => void; seen: SeenAccount };

export function AccessCards({ value, onChange, seen }: AccessCardsProps) {
  const { actor } = useCan();
  return (
    <Cards label={text.access} value={value} onChange={(next) => onChange(next as AccessLevel)}>
      {accessLevels.map((level) => {
        const missing = findMissingRight(actor, level, seen);
        return (
          <RadioCard key={level} value={level} title={accessNames[level]} isDisabled={missing !== null}>
            {missing === null ? text.says[level] : text.lacking(getRightName(missing))}
          </RadioCard>
        );
      })}
    </Cards>
  );
}

export function SeenCards({ value, onChange }: { value: SeenAccount; onChange: (seen: SeenAccount) => void }) {
  return (
    <Cards label={text.seen} value={value} onChange={(next) => onChange(next as SeenAccount)}>
      <RadioCard value="own" title={text.own}>
        {text.ownSays}
      </RadioCard>
      <RadioCard value="below" title={text.one}>
        {text.oneSays}
      </RadioCard>
    </Cards>
  );
}

type CardsProps = { label: string; value: string; onChange: (value: string) => void; children: ReactNode };

function Cards({ label, value, onChange, children }: CardsProps) {
  const id = useId();
  return (
    <FormControl>
      <FormLabel id={id} sx={{ mb: 2 }}>
        {label}
      </FormLabel>
      <RadioGroup
        aria-labelledby={id}
        value={value}
        onChange={(_, next) => onChange(next)}
        sx={{ display: "grid", gap: 2, gridTemplateColumns: { xs: "1fr", sm: "1fr 1fr" } }}
      >
        {children}
      </RadioGroup>
    </FormControl>
  );
}

type RadioCardProps = { value: string; title: string; isDisabled?: boolean; children: ReactNode };

function RadioCard({ value, title, isDisabled = false, children }: RadioCardProps) {
  const id = useId();
  return (
    <FormControlLabel
      value={value}
      disabled={isDisabled}
      control={
        <Radio size="small" slotProps={{ input: { "aria-labelledby": id, "aria-describedby": `${id}-says` } }} />
      }
      label={
        <Box sx={{ display: "grid", gap: 1, pt: "6px" }}>
          <Typography id={id} component="span" sx={{ fontWeight: 600, lineHeight: "20px" }}>
            {title}
          </Typography>
          <Typography id={`${id}-says`} component="span" variant="body2" sx={{ color: "text.secondary" }}>
            {children}
          </Typography>
        </Box>
      }
      sx={{
        m: 0,
        p: 2,
        pr: 3,
        alignItems: "flex-start",
        border: 1,
        borderColor: "divider",
        borderRadius: 1,
        "&:hover:not(.Mui-disabled)": { borderColor: "text.secondary" },
        "&:has(:checked)": { borderColor: "primary.main", bgcolor: "action.selected" },
      }}
    />
  );
}
