// Assigns newly registered sensors to a location, or links to the page that creates one.
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import { Box } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatSearch } from "../address/address.ts";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { LocationSelect } from "../entity/reference/LocationSelect.tsx";
import { type NamedRef, toReferenceFieldProps } from "../entity/reference/ReferenceSelect.tsx";
import { useCan, useMayCreate } from "../api/session/useCan.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { FormDialog } from "../ui/form/FormDialog.tsx";
import { claimText } from "./claim.text.ts";

type AssignClaimedProps = {
  ids: readonly string[];
  onClose: () => void;
  onAssigned: (ids: readonly string[], location: NamedRef) => void;
};

export function AssignClaimedDialog({ ids, onClose, onAssigned }: AssignClaimedProps) {
  const can = useCan();
  const client = useQueryClient();
  const toasts = useToasts();
  const mayCreate = useMayCreate("measurement") === true;
  const [chosen, setChosen] = useState<NamedRef | null>(null);
  const [attempted, setAttempted] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const submit = async () => {
    setAttempted(true);
    if (chosen === null) return;
    setError(null);
    try {
      const { fail } = await call(batchUpdateSensors, {
        body: { sensorIDs: [...ids], changes: { measID: chosen.id } },
      });
      for (const type of ["sensor", "measurement"]) void client.invalidateQueries({ queryKey: [type] });
      const failed = new Set(fail.map(({ id }) => id));
      const reasons = fail.map(({ id, errMessage, details }) => `${id}: ${details?.reason ?? errMessage}`).join(" ");
      if (failed.size === ids.length) return setError(`${claimText.assignFailed}. ${reasons}`);
      if (failed.size > 0) toasts.error({ title: claimText.assignFailed, text: reasons });
      const moved = ids.filter((id) => !failed.has(id));
      onAssigned(moved, chosen);
    } catch (thrown) {
      setError(`${claimText.assignFailed}. ${failureText(thrown)}`);
    }
  };
  return (
    <FormDialog
      open
      title={claimText.assignTitle(ids.length)}
      submitLabel={claimText.assignNow}
      onSubmit={submit}
      onClose={onClose}
      error={error}
    >
      <LocationSelect
        label={claimText.location}
        {...toReferenceFieldProps(chosen, setChosen)}
        allow={can.assignSensor}
        required
        error={attempted && chosen === null ? claimText.locationRequired : undefined}
      />
      {mayCreate ? (
        <Box>
          <AppLink to={paths.newLocation + formatSearch({ sensorID: [...ids] })} query="none" sx={standaloneLinkStyles}>
            {claimText.createLocation}
          </AppLink>
        </Box>
      ) : null}
    </FormDialog>
  );
}
