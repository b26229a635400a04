// Creating a sensor by hand, before its first contact: its id, type and owner; with a registration code there is a shorter way.
// And deleting one (spec 2 §2, §5).
import { isShown } from "@psp/contract/kit/id-reply.ts";
import { parseMac } from "@psp/contract/kit/ids.ts";
import { type SensorType, sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import MenuItem from "@mui/material/MenuItem";
import TextField from "@mui/material/TextField";
import { useState } from "react";
import { type OwnerRef, OwnerSelect } from "../../entity/reference/AccountSelect.tsx";
import { DeleteOwned } from "../../entity/DeleteOwned.tsx";
import { useFailure } from "../../api/useFailure.ts";
import { useFields } from "../../entity/draft.ts";
import { AppLink, useGo, useGoFromHere } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCreation } from "../../entity/owner-choice.ts";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { sensor } from "../sensor.entity.ts";
import { sensorText as text } from "../sensor.text.ts";

const refusals = {
  none: { title: text.createFailed, text: text.createNoAccount },
  notAllowed: { title: text.createFailed, text: text.createForEmpty },
};
type Fields = { id: string; type: SensorType; owner: OwnerRef | null };
const empty: Fields = { id: "", type: "APS", owner: null };

export const DeleteSensorDialog = () => <DeleteOwned entity={sensor} />;

export function NewSensorDialog() {
  const go = useGo();
  const leave = useGoFromHere();
  const toasts = useToasts();
  const fail = useFailure();
  const create = sensor.useCreate();
  const { mayCreate, owners } = useCreation("sensor", paths.sensors, refusals);
  const { values, set } = useFields(empty);
  const [submitted, setSubmitted] = useState(false);
  const [leftId, setLeftId] = useState(false);
  const id = parseMac(values.id.trim());
  const idError = id === null ? text.idInvalid : undefined;
  const shownIdError = submitted || leftId ? idError : undefined;
  const submit = async () => {
    setSubmitted(true);
    if (id === null || values.owner === null) return;
    try {
      const made = await create.mutateAsync({ _id: id, type: values.type, owner: values.owner.id });
      const next = {
        label: text.openIt,
        onClick: () => go(paths.sensorGeneral(values.type, id), { query: "none" }),
      };
      toasts.success(text.created(id), isShown(made) ? next : undefined);
      leave(paths.sensors, { replace: true });
    } catch (error) {
      fail(text.createFailed)(error);
    }
  };
  return (
    <FormDialog
      open={mayCreate}
      title={text.newTitle}
      submitLabel="Create"
      dirty={values.id !== ""}
      onSubmit={submit}
      onClose={() => leave(paths.sensors, { replace: true })}
    >
      <TextField
        label={text.idLabel}
        value={values.id}
        onChange={(event) => set("id", event.target.value)}
        onBlur={() => setLeftId(true)}
        error={shownIdError !== undefined}
        helperText={shownIdError ?? text.idHint}
        autoComplete="off"
        required
        slotProps={{ htmlInput: { spellCheck: false, autoCapitalize: "characters" } }}
      />
      <TextField
        select
        label={text.typeLabel}
        value={values.type}
        onChange={(event) => set("type", event.target.value as SensorType)}
      >
        {sensorTypes.map((type) => (
          <MenuItem key={type} value={type}>
            {type}
          </MenuItem>
        ))}
      </TextField>
      <OwnerSelect
        label={text.owner}
        value={values.owner}
        onChange={(owner) => set("owner", owner)}
        owners={owners}
        error={submitted && values.owner === null ? text.ownerRequired : undefined}
        readOnly={false}
      />
      <AppLink to={`${paths.registerSensors}?fromPSControl=true`} query="none">
        {text.registerInstead}
      </AppLink>
    </FormDialog>
  );
}
