// Licenses of a location: switches for the root account, otherwise read-only (docs/rules/locations.md#licenses).
import type { Location } from "@psp/contract/location/location.ts";
import { Box, FormHelperText } from "@mui/material";
import { useAttempt } from "../../api/useFailure.ts";
import { useCan } from "../../api/session/useCan.ts";
import { FactList } from "../../ui/FactList.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { useGrantLicenses } from "../location.entity.ts";
import { locationPageText as text } from "../location.page.text.ts";
import { locationText } from "../location.text.ts";
import { SwitchField } from "../../entity/page/SwitchField.tsx";

const licenses = [
  ["occupancyMeasurement", text.occupancyLicense],
  ["buildings", text.buildingsLicense],
] as const;

/** `dirty`: the form has changes. Licenses are then disabled, because saving one would make the draft outdated. */
export function LocationLicenses({ location, dirty }: { location: Location; dirty: boolean }) {
  const can = useCan();
  const attempt = useAttempt();
  const grant = useGrantLicenses(location._id);
  if (!can.license())
    return (
      <SectionCard title={text.licenses}>
        <FactList facts={licenses.map(([name, label]) => [label, location.licenses[name] ? text.on : text.off])} />
      </SectionCard>
    );
  const reason = grant.isPending ? text.licensesSaving : dirty ? text.licensesBlocked : undefined;
  // Optimistic: shows the requested value until the response.
  const shown = { ...location.licenses, ...(grant.isPending ? grant.variables : {}) };
  return (
    <SectionCard title={text.licenses}>
      <Box>
        {licenses.map(([name, label]) => (
          <SwitchField
            key={name}
            label={label}
            reason={reason}
            saving={grant.isPending && name in grant.variables ? text.licensesSaving : null}
            checked={shown[name] === true}
            onChange={(on) => void attempt(locationText.updateFailed, () => grant.mutateAsync({ [name]: on }))}
          />
        ))}
        <FormHelperText>{text.licensesHint}</FormHelperText>
      </Box>
    </SectionCard>
  );
}
