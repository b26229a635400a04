// The general form of a location: untouched fields follow the news, the Save bar appears with the first change.
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Location } from "@psp/contract/location/location.ts";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMemo, useState } from "react";
import { CallError } from "../api/call.ts";
import { useFailure } from "../api/useFailure.ts";
import { useDraft } from "../draft.ts";
import { useLeaveGuard } from "../leave-guard.tsx";
import { useCan, useOwners } from "../session/useCan.ts";
import { withPending } from "../ui/ChipsField.tsx";
import { ConflictDialog } from "../ui/ConflictDialog.tsx";
import { ErrorSummary } from "../ui/ErrorSummary.tsx";
import { SaveBar } from "../ui/SaveBar.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { type LocationFields, placeFields, toFields, toPlace } from "./location.facts.ts";
import { type LocationUpdate, useUpdateLocation } from "./location.queries.ts";
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
  const { values, changed, baseVersion, outdated, set, discard } = useDraft(current, location.version);
  const [pendingTag, setPendingTag] = useState("");
  const [resetKey, setResetKey] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const [savedCount, setSavedCount] = useState(0);
  const [conflict, setConflict] = useState(false);
  const update = useUpdateLocation(location._id);
  const errors = checkLocation(values);
  const dirty = changed.length > 0 || pendingTag.trim() !== "";
  const guard = useLeaveGuard(dirty);
  const allowOwner = useMemo(
    () => (candidate: Owner) => candidate.id === owner.id || can.changeOwner("measurement", owner, candidate),
    [can, owner],
  );

  const drop = () => {
    discard();
    setPendingTag("");
    setAttempt(0);
    setResetKey((key) => key + 1);
  };
  const save = async (overwrite: boolean) => {
    setConflict(false);
    setAttempt(attempt + 1);
    if (Object.keys(errors).length > 0) return;
    const tags = withPending(values.tags, pendingTag);
    const all = tags.length === values.tags.length ? changed : [...new Set([...changed, "tags" as const])];
    try {
      await update.mutateAsync({
        change: toChange({ ...values, tags }, all),
        ...(overwrite ? {} : { version: baseVersion }),
      });
      drop();
      setSavedCount((count) => count + 1);
    } catch (error) {
      if (error instanceof CallError && error.status === 412) setConflict(true);
      else fail(locationText.updateFailed)(error);
    }
  };
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
          allowOwner={allowOwner}
          timezone={location.location.timezone}
          placeChanged={changed.some((name) => name === "latitude" || name === "longitude")}
          onPendingTag={setPendingTag}
          resetKey={resetKey}
        />
      </Box>
      <SaveBar
        changes={dirty ? (changed.length === 0 ? [locationText.tags] : changed.map((name) => labels[name])) : []}
        saving={update.isPending}
        savedCount={savedCount}
        onSave={() => void save(false)}
        onDiscard={drop}
      />
      <ConflictDialog
        open={conflict}
        subject={locationText.subject}
        onReload={() => {
          setConflict(false);
          drop();
        }}
        onOverwrite={() => void save(true)}
        onClose={() => setConflict(false)}
      />
      {guard.dialog}
    </Box>
  );
}
