// General form of a location, with live updates and a save bar.
import type { Location } from "@psp/contract/location/location.ts";
import { Alert, Box } from "@mui/material";
import { useMemo, useState } from "react";
import { useDraft, useDraftKey } from "../../entity/draft.ts";
import { usePageForm } from "../../entity/page-form.tsx";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { useNewOwnerChoice } from "../../entity/owner-choice.ts";
import { usePendingChip, addPendingChips } from "../../ui/choice/ChipsField.tsx";
import { LocationLicenses } from "./LocationLicenses.tsx";
import { LocationFormFields } from "./LocationFormFields.tsx";
import { type LocationFields, locationDataFields, toFields, toLocationData } from "../location.facts.ts";
import { location as entity, type LocationUpdate } from "../location.entity.ts";
import { checkLocation } from "./location.rules.ts";
import { locationText } from "../location.text.ts";

const isLocationDataField = (name: string) => (locationDataFields as readonly string[]).includes(name);

/** Only changed fields; the address is sent as a whole. */
function toChange(values: LocationFields, changed: readonly (keyof LocationFields)[]): LocationUpdate {
  return {
    ...(changed.includes("name") ? { name: values.name } : {}),
    ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
    ...(changed.includes("externalID") ? { externalID: values.externalID.trim() || null } : {}),
    ...(changed.includes("tags") ? { tags: values.tags } : {}),
    ...(changed.includes("openingHours") ? { openingHours: values.openingHours } : {}),
    ...(changed.some(isLocationDataField) ? { location: toLocationData(values) } : {}),
  };
}

/** Labels for the save bar; a tag being typed counts as a change. */
const changesOf = (changed: readonly (keyof LocationFields)[], typed: string) =>
  changed.length === 0 && typed.trim() !== "" ? [locationText.tags] : changed.map((name) => locationText[name]);

/** `complete`: loaded from the server, not from a list. */
export function LocationForm({ location, complete }: { location: Location; complete: boolean }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([location.owner._id]);
  const owner = ownerOf(location.owner._id);
  const mayEdit = can.edit("measurement", owner);
  const readOnly = !ready || !complete || !mayEdit;
  const current = useMemo(() => toFields(location), [location]);
  const draft = useDraft(current, location.version, useDraftKey("measurement", location._id));
  const { values, changed, set } = draft;
  const pending = usePendingChip();
  const [attempt, setAttempt] = useState(0);
  const update = entity.useUpdate(location._id);
  const errors = checkLocation(values);
  const owners = useNewOwnerChoice("measurement", owner, "location");
  const tags = addPendingChips(values.tags, pending.text);
  const all = tags.length === values.tags.length ? changed : [...new Set([...changed, "tags" as const])];
  const { outdated, foot } = usePageForm({
    entity,
    row: location,
    draft,
    toFields,
    update,
    changes: changesOf(changed, pending.text),
    disabledReason: ready && !mayEdit ? locationText.readOnly : undefined,
    changeOf() {
      setAttempt(attempt + 1);
      return Object.keys(errors).length > 0 ? undefined : toChange({ ...values, tags }, all);
    },
    undoOf: () => ({
      change: toChange(current, all),
      title: `${all.map((name) => locationText[name]).join(", ")} changed`,
    }),
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
        {outdated(locationText)}
        <LocationFormFields
          values={values}
          set={set}
          errors={errors}
          attempt={attempt}
          readOnly={readOnly}
          owners={owners}
          stored={location}
          refused={update.error}
          saved={{ latitude: current.latitude, longitude: current.longitude, timezone: location.location.timezone }}
          pending={pending.field}
        />
        <LocationLicenses location={location} dirty={changed.length > 0 || pending.text !== ""} />
      </Box>
      {foot}
    </Box>
  );
}
