// Creating a location; leads to its own page afterwards (spec 3 §2).
import { serverErrors } from "@psp/contract/errors.ts";
import { assignSensorSet } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { Box } from "@mui/material";
import { useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useFields } from "../../entity/draft.ts";
import { useLeaveGuard } from "../../address/leave-guard.tsx";
import { AppLink, useGo, useGoFromHere } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCreation } from "../../entity/owner-choice.ts";
import { usePending, withPending } from "../../ui/form/ChipsField.tsx";
import { useCan, useOwners } from "../../session/useCan.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { SaveBar } from "../../ui/form/SaveBar.tsx";
import { type ChosenSensor, SensorSelect } from "../../sensor/SensorSelect.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { emptyFields, type LocationFields, placeFields, toPlace } from "../location.facts.ts";
import { location } from "../location.entity.ts";
import { checkLocation } from "./location.rules.ts";
import { locationText } from "../location.text.ts";

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
        <LocationFormFields
          values={values}
          set={set}
          errors={errors}
          attempt={attempt}
          owners={owners}
          timezone={null}
          placeChanged={values.latitude !== ""}
          pending={pending.field}
        />
        <FirstSensor value={sensor} onChange={setSensor} refusal={sensorRefusal} />
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

/** Why no sensor can be put at a location of this owner, undefined where it can (301); null while no owner is chosen. */
function useSensorRefusal(ownerId: string | null): string | undefined {
  const can = useCan();
  const { ownerOf, ready } = useOwners(ownerId === null ? [] : [ownerId]);
  const isRefused =
    ownerId === null ? isEmptySet(assignSensorSet(can.actor)) : ready && !can.assignSensor(ownerOf(ownerId));
  return isRefused ? serverErrors[301].message : undefined;
}

type FirstSensorProps = {
  value: ChosenSensor | null;
  onChange: (sensor: ChosenSensor | null) => void;
  refusal: string | undefined;
};

/** The sensor that it may get at once: offered as far as the server would accept it, and why there is none (spec 3 §8). */
function FirstSensor({ value, onChange, refusal }: FirstSensorProps) {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const explain = (why: "none" | "notAllowed") => {
    if (why === "notAllowed") return toasts.error({ title: locationText.noSensorAssignable });
    const register = () => go(`${paths.registerSensors}?fromPSControl=true`, { query: "none" });
    const newSensor = { label: locationText.newSensor, onClick: register };
    toasts.error({ title: locationText.noSensor, ...(can.viewType("sensor") ? { action: newSensor } : {}) });
  };
  return (
    <SectionCard title={locationText.sensors} gap={4}>
      <SensorSelect
        id="location-sensor"
        label={locationText.sensor}
        value={value?.id ?? null}
        onChange={onChange}
        allow={(owner) => refusal === undefined && can.edit("sensor", owner)}
        onNoChoice={explain}
        placeholder={locationText.none}
        error={value === null ? undefined : refusal}
        helperText={value?.locationName ? locationText.leaves(value.locationName) : undefined}
      />
    </SectionCard>
  );
}
