// Form for the login of a sensor's REST interface; the password is write-only (SE-10).
import { serverErrors } from "@psp/contract/errors.ts";
import { hasForbiddenCharacters } from "@psp/contract/kit/text-bounds.ts";
import { maxRestCredentialLength, type Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Button, TextField } from "@mui/material";
import { useMemo, useState } from "react";
import { failureText, refusalOf } from "../../api/useFailure.ts";
import { useDraft } from "../../entity/draft.ts";
import { usePageForm } from "../../entity/page-form.tsx";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { LinkedText } from "../../ui/ObjectLink.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { ConfirmDialog } from "../../ui/form/ConfirmDialog.tsx";
import { PasswordField } from "../../ui/form/PasswordField.tsx";
import { sensorPageText as text } from "../sensor-page.text.ts";
import { sensor as entity, type SensorUpdate, useUpdateSensor } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";

type RestFields = { username: string; password: string };
type Credentials = NonNullable<SensorUpdate["sensorFeatureCredentials"]>;

/** Errors by field. A user name requires a password, unless one is `stored` and can be kept. */
function checkRest({ username, password }: RestFields, stored: boolean): Partial<RestFields> {
  const errors: Partial<RestFields> = {};
  const name = username.trim();
  if (name === "" && password !== "") errors.username = text.usernameRequired;
  if (name !== "" && password === "" && !stored) errors.password = text.passwordRequired;
  if (hasForbiddenCharacters(username)) errors.username = serverErrors.invalidInput.message;
  if (name.length > maxRestCredentialLength) errors.username = text.tooLong(maxRestCredentialLength);
  if (password.length > maxRestCredentialLength) errors.password = text.tooLong(maxRestCredentialLength);
  return errors;
}

/** An empty user name clears the stored login. An empty password keeps the stored password. */
function toCredentials({ username, password }: RestFields): Credentials {
  const name = username.trim();
  if (name === "") return [{ feature: "restapi", username: "", password: "" }];
  return [{ feature: "restapi", username: name, ...(password === "" ? {} : { password }) }];
}

const labels: Record<keyof RestFields, string> = { username: text.username, password: text.password };

const fieldsOf = (username: string | undefined): RestFields => ({ username: username ?? "", password: "" });

/** `complete` is false while the sensor is only a placeholder from a list. */
export function RestCredentials({ sensor, complete }: { sensor: Sensor; complete: boolean }) {
  const can = useCan();
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const readOnly = !ready || !complete || !can.edit("sensor", ownerOf(sensor.owner._id));
  const stored = sensor.sensorFeatureCredentials[0]?.username;
  const current = useMemo<RestFields>(() => fieldsOf(stored), [stored]);
  // Has no draft key, because drafts are stored and passwords must not be.
  const draft = useDraft(current, sensor.version);
  const { values, changed, set } = draft;
  const [submitted, setSubmitted] = useState(false);
  const [touched, setTouched] = useState<Partial<Record<keyof RestFields, boolean>>>({});
  const update = useUpdateSensor(sensor._id);
  const errors = checkRest(values, stored !== undefined);
  const shown = (name: keyof RestFields) => (submitted || touched[name] === true ? errors[name] : undefined);

  const untouch = () => {
    setSubmitted(false);
    setTouched({});
  };
  const { drop, foot } = usePageForm({
    entity,
    row: sensor,
    draft,
    toFields: ({ sensorFeatureCredentials }: Sensor) => fieldsOf(sensorFeatureCredentials[0]?.username),
    update,
    changes: changed.map((name) => labels[name]),
    changeOf() {
      setSubmitted(true);
      const wrong = (["username", "password"] as const).find((name) => errors[name] !== undefined);
      if (wrong === undefined) return { sensorFeatureCredentials: toCredentials(values) };
      document.getElementById(`rest-${wrong}`)?.focus();
      return undefined;
    },
    onSaved: untouch,
    onDropped: untouch,
  });
  const field = (name: keyof RestFields) => ({
    id: `rest-${name}`,
    label: labels[name],
    value: values[name],
    onBlur: () => setTouched((before) => ({ ...before, [name]: true })),
  });
  return (
    <Box>
      <SectionCard title={text.restTitle} gap={4}>
        <Box sx={{ color: "text.secondary" }}>{text.restHint}</Box>
        <TextField
          {...field("username")}
          onChange={(event) => set("username", event.target.value)}
          autoComplete="off"
          error={shown("username") !== undefined}
          helperText={shown("username") ?? (stored === undefined ? text.restNone : undefined)}
          slotProps={{ input: { readOnly } }}
        />
        {readOnly ? null : (
          <PasswordField
            {...field("password")}
            onChange={(event) => set("password", event.target.value)}
            autoComplete="new-password"
            error={shown("password") !== undefined}
            helperText={shown("password") ?? (stored === undefined ? undefined : text.passwordKept)}
          />
        )}
        {readOnly || stored === undefined ? null : <ClearButton sensor={sensor} onCleared={drop} />}
      </SectionCard>
      {foot}
    </Box>
  );
}

function ClearButton({ sensor, onCleared }: { sensor: Sensor; onCleared: () => void }) {
  const [open, setOpen] = useState(false);
  const toasts = useToasts();
  const update = useUpdateSensor(sensor._id);
  const clear = async () => {
    try {
      const nothing = toCredentials({ username: "", password: "" });
      await update.mutateAsync({ change: { sensorFeatureCredentials: nothing } });
      setOpen(false);
      onCleared();
      toasts.success(text.cleared(sensor._id));
    } catch {
      // The dialog shows the error.
    }
  };
  return (
    <Box>
      <Button color="inherit" variant="outlined" onClick={() => setOpen(true)}>
        {text.clearRest}
      </Button>
      <ConfirmDialog
        open={open}
        title={text.clearRestTitle}
        confirmLabel={text.clear}
        onConfirm={clear}
        onClose={() => {
          update.reset();
          setOpen(false);
        }}
        error={
          update.error === null ? undefined : (
            <LinkedText
              text={`${sensorText.updateFailed} ${failureText(update.error)}`}
              object={refusalOf(update.error)?.object}
            />
          )
        }
      >
        {text.clearRestQuestion(sensor._id)}
      </ConfirmDialog>
    </Box>
  );
}
