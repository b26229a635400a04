// Filters of the history by kind, person and days.
import { Box, TextField } from "@mui/material";
import { AccountSelect } from "../entity/reference/AccountSelect.tsx";
import { useCan } from "../api/session/useCan.ts";
import type { HistoryFilter } from "./history.queries.ts";
import { historyText as text } from "./history.text.ts";
import { SelectField } from "../ui/form/SelectField.tsx";

type HistoryFiltersProps = {
  filter: HistoryFilter;
  onChange: (change: Partial<HistoryFilter>) => void;
  refusals: boolean;
};

export function HistoryFilters({ filter, onChange, refusals }: HistoryFiltersProps) {
  const can = useCan();
  const day = (label: string, value: string, set: (value: string) => void) => (
    <TextField
      type="date"
      label={label}
      value={value}
      onChange={(event) => set(event.target.value)}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
  return (
    <Box
      role="search"
      aria-label={text.title}
      sx={{ display: "grid", gap: 3, gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 136px), 1fr))" }}
    >
      <SelectField
        label={text.kind}
        value={filter.kind ?? ""}
        onChange={(kind) => onChange({ kind: kind || null })}
        choices={text.kinds.filter(([kind]) => refusals || kind !== "refusal")}
        slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
      />
      {can.viewAnyAccount() ? (
        <AccountSelect
          label={text.who}
          value={filter.who}
          onChange={(who) => onChange({ who })}
          placeholder={text.anyone}
        />
      ) : null}
      {day(text.from, filter.from, (from) => onChange({ from }))}
      {day(text.to, filter.to, (to) => onChange({ to }))}
    </Box>
  );
}
