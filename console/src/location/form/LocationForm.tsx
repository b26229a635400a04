// The general form of a location: untouched fields follow the news, the Save bar appears with the first change.
import type { Location } from "@psp/contract/location/location.ts";
import { Alert, Box, Button } from "@mui/material";
import { useMemo, useState } from "react";
import { useDraft } from "../../entity/draft.ts";
import { usePageForm } from "../../entity/page-form.tsx";
import { useCan, useOwners } from "../../session/useCan.ts";
import { useNewOwners } from "../../entity/owner-choice.ts";
import { usePending, withPending } from "../../ui/form/ChipsField.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { type LocationFields, placeFields, toFields, toPlace } from "../location.facts.ts";
import { location as entity, type LocationUpdate } from "../location.entity.ts";
import { checkLocation } from "./location.rules.ts";
import { locationText } from "../location.text.ts";

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

/** What the Save bar names; a tag that is being typed is a change, too. */
const changesOf = (changed: readonly (keyof LocationFields)[], typed: string) =>
  changed.length === 0 && typed.trim() !== "" ? [locationText.tags] : changed.map((name) => locationText[name]);

/** `complete` once it came from the server itself and not from a list. */
export function LocationForm({ location, complete }: { location: Location; complete: boolean }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([location.owner._id]);
  const owner = ownerOf(location.owner._id);
  const mayEdit = can.edit("measurement", owner);
  const readOnly = !ready || !complete || !mayEdit;
  const current = useMemo(() => toFields(location), [location]);
  const draft = useDraft(current, location.version);
  const { values, changed, set } = draft;
  const pending = usePending();
  const [attempt, setAttempt] = useState(0);
  const update = entity.useUpdate(location._id);
  const errors = checkLocation(values);
  const owners = useNewOwners("measurement", owner, "location");
  const tags = withPending(values.tags, pending.text);
  const all = tags.length === values.tags.length ? changed : [...new Set([...changed, "tags" as const])];
  const { drop, foot } = usePageForm({
    entity,
    id: location._id,
    draft,
    toFields,
    update,
    changes: changesOf(changed, pending.text),
    changeOf() {
      setAttempt(attempt + 1);
      return Object.keys(errors).length > 0 ? undefined : toChange({ ...values, tags }, all);
    },
    onSaved() {
      pending.saved(pending.text);
      setAttempt(0);
    },
    onDropped() {
      pending.drop();
      setAttempt(0);
    },
  });
  return (
    <Box>
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4, maxWidth: 640 }}>
        {ready && complete && !mayEdit ? <Alert severity="info">{locationText.readOnly}</Alert> : null}
        {draft.outdated ? (
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
        <LocationFormFields
          values={values}
          set={set}
          errors={errors}
          attempt={attempt}
          readOnly={readOnly}
          owners={owners}
          timezone={location.location.timezone}
          placeChanged={changed.some((name) => name === "latitude" || name === "longitude")}
          pending={pending.field}
        />
      </Box>
      {foot()}
    </Box>
  );
}
