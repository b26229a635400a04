// The general form of a location: untouched fields follow the news, the Save bar appears with the first change.
import { isShown } from "@psp/contract/kit/id-reply.ts";
import type { Location } from "@psp/contract/location/location.ts";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMemo, useState } from "react";
import { useFailure } from "../api/useFailure.ts";
import { useDraft } from "../entity/draft.ts";
import { useLeaveGuard } from "../address/leave-guard.tsx";
import { useLeftView } from "../entity/left-view.ts";
import { paths } from "../address/paths.ts";
import { useSaving } from "../entity/saving.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { useNewOwners } from "../entity/owner-choice.ts";
import { usePending, withPending } from "../ui/form/ChipsField.tsx";
import { ConflictDialog } from "../ui/form/ConflictDialog.tsx";
import { ErrorSummary } from "../ui/form/ErrorSummary.tsx";
import { SaveBar } from "../ui/form/SaveBar.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { type LocationFields, placeFields, toFields, toPlace } from "./location.facts.ts";
import { location as entity, type LocationUpdate } from "./location.entity.ts";
import { checkLocation } from "./location.rules.ts";
import { locationText } from "./location.text.ts";

const labels: Record<keyof LocationFields, string> = {
  name: locationText.name,
  owner: locationText.owner,
  street: locationText.street,
  zip: locationText.zip,
  city: locationText.city,
  state: locationText.state,
  country: locationText.country,
  onSiteInfo: locationText.onSiteInfo,
  latitude: locationText.latitude,
  longitude: locationText.longitude,
  tags: locationText.tags,
};

const isPlace = (name: string) => (placeFields as readonly string[]).includes(name);

/** Only what was changed is sent; the place travels as a whole. */
function toChange(values: LocationFields, changed: readonly (keyof LocationFields)[]): LocationUpdate {
  return {
    ...(changed.includes("name") ? { name: values.name } : {}),
    ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
    ...(changed.includes("tags") ? { tags: values.tags } : {}),
    ...(changed.some(isPlace) ? { location: toPlace(values) } : {}),
  };
}

/** Props: `location`, `complete` once it came from the server itself and not from a list. */
export function LocationForm({ location, complete }: { location: Location; complete: boolean }) {
  const can = useCan();
  const fail = useFailure();
  const { ownerOf, ready } = useOwners([location.owner._id]);
  const owner = ownerOf(location.owner._id);
  const mayEdit = can.edit("measurement", owner);
  const readOnly = !ready || !complete || !mayEdit;
  const current = useMemo(() => toFields(location), [location]);
  const { values, changed, baseVersion, outdated, set, saved, discard } = useDraft(current, location.version);
  const pending = usePending();
  const [attempt, setAttempt] = useState(0);
  const [savedCount, setSavedCount] = useState(0);
  const update = entity.useUpdate(location._id);
  const leftView = useLeftView({
    type: "measurement",
    id: location._id,
    subject: locationText.subject,
    list: paths.locations,
  });
  const errors = checkLocation(values);
  const dirty = changed.length > 0 || pending.text.trim() !== "";
  const guard = useLeaveGuard(dirty);
  const owners = useNewOwners("measurement", owner, "location");

  const drop = () => {
    discard();
    pending.drop();
    setAttempt(0);
  };
  const saving = useSaving({
    baseVersion,
    attempt: async (seen) => {
      setAttempt(attempt + 1);
      if (Object.keys(errors).length > 0) return;
      const tags = withPending(values.tags, pending.text);
      const all = tags.length === values.tags.length ? changed : [...new Set([...changed, "tags" as const])];
      const stored = await update.mutateAsync({ change: toChange({ ...values, tags }, all), ...seen });
      if (!isShown(stored)) {
        drop();
        return leftView();
      }
      saved(values, toFields(stored), stored.version);
      pending.saved(pending.text);
      setAttempt(0);
      setSavedCount((count) => count + 1);
    },
    onFailure: fail(locationText.updateFailed),
    onReload: drop,
  });
  return (
    <Box>
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        {ready && complete && !mayEdit ? <Alert severity="info">{locationText.readOnly}</Alert> : null}
        {outdated ? (
          <Alert
            severity="warning"
            action={
              <Button size="small" color="inherit" onClick={drop}>
                {locationText.showNew}
              </Button>
            }
          >
            {locationText.newValues}
          </Alert>
        ) : null}
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
          readOnly={readOnly}
          owners={owners}
          timezone={location.location.timezone}
          placeChanged={changed.some((name) => name === "latitude" || name === "longitude")}
          pending={pending.field}
        />
      </Box>
      <SaveBar
        changes={dirty ? (changed.length === 0 ? [locationText.tags] : changed.map((name) => labels[name])) : []}
        saving={update.isPending}
        savedCount={savedCount}
        onSave={() => void saving.save()}
        onDiscard={drop}
      />
      <ConflictDialog subject={locationText.subject} {...saving.conflict} />
      {guard.dialog}
    </Box>
  );
}
