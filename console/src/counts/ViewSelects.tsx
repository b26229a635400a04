// Selects for bucket size and comparison.
import { MenuItem, TextField } from "@mui/material";
import { comparisons, bucketSizes, maxBuckets } from "@psp/contract/counts/count-range.ts";
import { Disabled } from "../ui/feedback/Disabled.tsx";
import { countsText as text } from "./counts.text.ts";
import { type CountsView, type SetView, bucketSizeUnavailableReason } from "./view.ts";
import { SelectField } from "../ui/form/SelectField.tsx";
import { formatNumber } from "../ui/text/numbers.ts";

const none = "none";

type SelectProps = { view: CountsView; setView: SetView };

export function BucketSizeSelect({ view, setView }: SelectProps) {
  return (
    <TextField
      select
      label={text.per}
      value={view.by}
      onChange={({ target }) => {
        const by = bucketSizes.find((step) => step === target.value);
        if (by !== undefined) setView({ by });
      }}
      // By default the library would also show the reason of a disabled option.
      slotProps={{ select: { renderValue: () => text.steps[view.by] } }}
      sx={{ flex: { xs: "1 1 76px", sm: "0 1 104px" }, width: "auto", minWidth: 76 }}
    >
      {bucketSizes.map((step) => {
        const fault = bucketSizeUnavailableReason(view.range, step);
        const reason =
          fault === null ? undefined : fault === "many" ? text.tooMany(formatNumber(maxBuckets)) : text.tooLong[step];
        return (
          <Disabled key={step} reason={reason} value={step}>
            <MenuItem value={step} sx={reason === undefined ? {} : { color: "text.disabled" }}>
              {text.steps[step]}
            </MenuItem>
          </Disabled>
        );
      })}
    </TextField>
  );
}

export function CompareSelect({ view, setView }: SelectProps) {
  return (
    <SelectField
      label={text.compareWith}
      value={view.compare ?? none}
      onChange={(compare) => setView({ compare: compare === none ? null : compare })}
      choices={[[none, text.nothing], ...comparisons.map((one) => [one, text.comparisons[one]] as const)]}
      sx={{ flex: { xs: "1 1 108px", sm: "0 1 140px" }, width: "auto", minWidth: 108 }}
    />
  );
}
