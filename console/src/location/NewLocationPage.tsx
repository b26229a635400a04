// Creating a location; leads to its own page afterwards (spec 3 §2).
import { createSet } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import Box from "@mui/material/Box";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useFailure } from "../api/useFailure.ts";
import { useLeaveGuard } from "../leave-guard.tsx";
import { AppLink, useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan, useHoldsAnybody } from "../session/useCan.ts";
import { ErrorSummary } from "../ui/ErrorSummary.tsx";
import { withPending } from "../ui/ChipsField.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SaveBar } from "../ui/SaveBar.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { emptyFields, type LocationFields, placeFields, toPlace } from "./location.facts.ts";
import { useCreateLocation } from "./location.queries.ts";
import { checkLocation } from "./location.rules.ts";
import { locationText } from "./location.text.ts";

export function NewLocationPage() {
  const can = useCan();
  const go = useGo();
  const fail = useFailure();
  const allowOwner = useCallback((owner: Owner) => can.createFor("measurement", owner), [can]);
  const mayCreate = useHoldsAnybody(useMemo(() => createSet(can.actor, "measurement"), [can.actor]));
  const [values, setValues] = useState<LocationFields>(emptyFields);
  const [pendingTag, setPendingTag] = useState("");
  const [attempt, setAttempt] = useState(0);
  const create = useCreateLocation();
  const errors = checkLocation(values);
  const entered =
    (Object.keys(values) as (keyof LocationFields)[]).some((name) => name !== "owner" && values[name]?.length !== 0) ||
    pendingTag !== "";
  const guard = useLeaveGuard(entered);
  const set = useCallback(
    <K extends keyof LocationFields>(name: K, value: LocationFields[K]) =>
      setValues((before) => ({ ...before, [name]: value })),
    [],
  );

  useEffect(() => {
    if (mayCreate !== false) return;
    fail(locationText.createFailed)(new Error(locationText.createForEmpty));
    go(paths.locations, { replace: true });
  }, [mayCreate, fail, go]);

  const save = async () => {
    setAttempt(attempt + 1);
    if (Object.keys(errors).length > 0 || values.owner === null) return;
    const tags = withPending(values.tags, pendingTag);
    const placed = placeFields.some((name) => values[name] !== "");
    try {
      const made = await create.mutateAsync({
        name: values.name,
        owner: values.owner.id,
        ...(tags.length > 0 ? { tags } : {}),
        ...(placed ? { location: toPlace(values) } : {}),
      });
      guard.release();
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
          allowOwner={allowOwner}
          preselectOwner
          timezone={null}
          placeChanged={values.latitude !== ""}
          onPendingTag={setPendingTag}
          resetKey={0}
        />
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
      {guard.dialog}
    </Box>
  );
}
