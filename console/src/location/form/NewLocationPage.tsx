// Creating a location; leads to its own page afterwards (spec 3 §2).
import Box from "@mui/material/Box";
import { useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useFields } from "../../entity/draft.ts";
import { useLeaveGuard } from "../../address/leave-guard.tsx";
import { AppLink, useGoFromHere } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCreation } from "../../entity/owner-choice.ts";
import { ErrorSummary } from "../../ui/form/ErrorSummary.tsx";
import { usePending, withPending } from "../../ui/form/ChipsField.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { SaveBar } from "../../ui/form/SaveBar.tsx";
import type { ChosenSensor } from "../../sensor/SensorSelect.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { emptyFields, type LocationFields, placeFields, toPlace } from "../location.facts.ts";
import { location } from "../location.entity.ts";
import { checkLocation } from "./location.rules.ts";
import { locationText } from "../location.text.ts";
import { NewLocationSensor, useSensorRefusal } from "./NewLocationSensor.tsx";

const refusals = {
  none: { title: locationText.createFailed, text: locationText.noAccount },
  notAllowed: { title: locationText.createFailed, text: locationText.createForEmpty },
};

export function NewLocationPage() {
  const go = useGoFromHere();
  const fail = useFailure();
  const { owners } = useCreation("measurement", paths.locations, refusals);
  const { values, set } = useFields(emptyFields);
  const [sensor, setSensor] = useState<ChosenSensor | null>(null);
  const pending = usePending();
  const [attempt, setAttempt] = useState(0);
  const create = location.useCreate();
  const sensorRefusal = useSensorRefusal(values.owner?.id ?? null);
  const errors = {
    ...checkLocation(values),
    ...(sensor !== null && sensorRefusal !== undefined ? { sensor: sensorRefusal } : {}),
  };
  const entered =
    (Object.keys(values) as (keyof LocationFields)[]).some((name) => name !== "owner" && values[name]?.length !== 0) ||
    sensor !== null ||
    pending.text !== "";
  const leaveDialog = useLeaveGuard(entered);

  const save = async () => {
    setAttempt(attempt + 1);
    if (Object.keys(errors).length > 0 || values.owner === null) return;
    const tags = withPending(values.tags, pending.text);
    const placed = placeFields.some((name) => values[name] !== "");
    try {
      const made = await create.mutateAsync({
        name: values.name,
        owner: values.owner.id,
        ...(sensor === null ? {} : { sensorID: sensor.id }),
        ...(tags.length > 0 ? { tags } : {}),
        ...(placed ? { location: toPlace(values) } : {}),
      });
      go(paths.locationGeneral(made._id), { replace: true });
    } catch (error) {
      fail(locationText.createFailed)(error);
    }
  };
  return (
    <Box>
      <AppLink to={paths.locations} sx={{ color: "text.secondary" }}>
        {locationText.title}
      </AppLink>
      <PageHeader title={locationText.newTitle} />
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        {attempt > 0 ? (
          <ErrorSummary
            attempt={attempt}
            errors={Object.entries(errors).map(([name, message]) => ({ fieldId: `location-${name}`, message }))}
          />
        ) : null}
        <LocationFormFields
          values={values}
          set={set}
          errors={errors}
          submitted={attempt > 0}
          owners={owners}
          timezone={null}
          placeChanged={values.latitude !== ""}
          pending={pending.field}
        />
        <NewLocationSensor value={sensor} onChange={setSensor} ownerId={values.owner?.id ?? null} />
      </Box>
      <SaveBar
        changes={[locationText.newTitle]}
        saving={create.isPending}
        savedCount={0}
        message={locationText.newHint}
        discardLabel="Cancel"
        saveLabel={locationText.createButton}
        onSave={() => void save()}
        onDiscard={() => go(paths.locations)}
      />
      {leaveDialog}
    </Box>
  );
}
