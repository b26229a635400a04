// Form of the occupancy app with live updates, save bar and preview (OC-01).
import { createDefaultOccupancyApp, findOccupancyApp } from "@psp/contract/occupancy/occupancy-app.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { Alert, Stack } from "@mui/material";
import { useMemo, useState } from "react";
import { useDraft, useDraftKey } from "../../entity/draft.ts";
import { usePageForm } from "../../entity/page-form.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { ErrorSummary } from "../../ui/form/ErrorSummary.tsx";
import { FormColumns } from "../../ui/form/FormColumns.tsx";
import {
  appLocationQueries,
  type Prerequisite,
  useAppSensors,
  useMayEditLocation,
  useStoredApp,
} from "../occupancy.queries.ts";
import { occupancyText as text } from "../occupancy.text.ts";
import { Prerequisites } from "../Prerequisites.tsx";
import { DisplayActions } from "./DisplayActions.tsx";
import { elementId, useVisibleErrors } from "./fields.ts";
import { changedLabelsOf, validateOccupancy, toApp, toFields } from "./occupancy.form.ts";
import { OccupancyFields } from "./OccupancyFields.tsx";
import { Preview } from "./Preview.tsx";

const invalidMs = 5000;

const blank = createDefaultOccupancyApp();
const fieldsOf = ({ applications }: Pick<Location, "applications">) =>
  toFields(findOccupancyApp(applications) ?? blank);

type Props = {
  location: Location;
  /** False while the location is only a placeholder from a list. */
  complete: boolean;
  missing: readonly Prerequisite[];
};

export function OccupancyForm({ location, complete, missing }: Props) {
  const toasts = useToasts();
  const { ready, mayEdit } = useMayEditLocation(location);
  const readOnly = !ready || !complete || !mayEdit;
  const stored = useStoredApp(location);
  const sensors = useAppSensors(location._id);
  const current = useMemo(() => toFields(stored ?? blank), [stored]);
  const draft = useDraft(current, location.version, useDraftKey("occupancy", location._id));
  const { values, changed, set } = draft;
  const [attempt, setAttempt] = useState(0);
  const update = appLocationQueries.useUpdate(location._id);
  const errors = useMemo(() => validateOccupancy(values), [values]);
  const left = useVisibleErrors(errors, attempt);
  const { outdated, foot } = usePageForm({
    entity: appLocationQueries,
    row: location,
    draft,
    toFields: fieldsOf,
    update,
    changes: changedLabelsOf(changed),
    disabledReason: ready && !mayEdit ? text.readOnly : undefined,
    changeOf() {
      setAttempt(attempt + 1);
      if (Object.keys(errors).length === 0) return { applications: [toApp(values)] };
      toasts.error({ title: text.invalid, forMs: invalidMs });
      return undefined;
    },
    undoOf: () => ({
      change: { applications: stored === null ? [] : [toApp(current)] },
      title: text.changed,
    }),
    onSaved: () => setAttempt(0),
    onDropped: () => setAttempt(0),
  });
  return (
    <>
      <FormColumns
        sticky
        aside={
          <>
            <DisplayActions location={location} app={stored} isDirty={changed.length > 0} />
            <Preview values={values} location={location} />
          </>
        }
      >
        <Stack sx={{ gap: 4, maxWidth: 640 }}>
          {missing.length === 0 ? null : <Prerequisites location={location} missing={missing} />}
          {ready && complete && !mayEdit ? <Alert severity="info">{text.readOnly}</Alert> : null}
          {outdated(text)}
          {attempt > 0 ? (
            <ErrorSummary
              attempt={attempt}
              errors={Object.entries(errors).map(([field, message]) => ({ fieldId: elementId(field), message }))}
            />
          ) : null}
          <OccupancyFields
            values={values}
            set={set}
            readOnly={readOnly}
            {...left}
            cantEnable={missing.length === 0 ? undefined : text.cantEnable}
            zone={location.location.timezone ?? "UTC"}
            sensors={sensors}
          />
        </Stack>
      </FormColumns>
      {foot}
    </>
  );
}
