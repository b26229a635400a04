// Dialogs to create a sensor manually before its first contact, and to delete one.
import { isFullObject } from "@psp/contract/kit/is-full-object.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { type SensorType, sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { CheckedField } from "../../entity/CheckedField.tsx";
import { DeleteOwned } from "../../entity/DeleteOwned.tsx";
import { OwnerSelect } from "../../entity/reference/AccountSelect.tsx";
import type { NameAndOwner, OwnedFieldsProps } from "../../entity/name-and-owner.tsx";
import { NewOwned } from "../../entity/NewOwned.tsx";
import { AppLink, useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { sensor } from "../sensor.entity.ts";
import { sensorText as text } from "../sensor.text.ts";
import { SelectField } from "../../ui/form/SelectField.tsx";

const refusals = {
  none: { title: text.createFailed, text: text.createNoAccount },
  notAllowed: { title: text.createFailed, text: text.createForEmpty },
};
/** `name` is the sensor's id. */
type Fields = NameAndOwner & { type: SensorType };
const empty: Fields = { name: "", type: "APS", owner: null };

const idOf = ({ name }: Fields) => parseMac(name.trim());
const form = {
  errorsOf: (values: Fields) => ({
    name: idOf(values) === null ? text.idInvalid : undefined,
    owner: values.owner === null ? text.ownerRequired : undefined,
  }),
  Fields: NewSensorFields,
};

function NewSensorFields({ values, set, errors, submitted, owners }: OwnedFieldsProps<undefined, Fields>) {
  return (
    <>
      <CheckedField
        label={text.idLabel}
        value={values.name}
        onChange={(id) => set("name", id)}
        submitted={submitted}
        error={errors.name}
        helperText={text.idHint}
        slotProps={{ htmlInput: { spellCheck: false, autoCapitalize: "characters" } }}
      />
      <SelectField
        label={text.typeLabel}
        value={values.type}
        onChange={(type) => set("type", type)}
        choices={sensorTypes.map((type) => [type, type])}
      />
      <OwnerSelect
        label={text.owner}
        value={values.owner}
        onChange={(owner) => set("owner", owner)}
        owners={owners}
        error={submitted ? errors.owner : undefined}
        readOnly={false}
      />
      <AppLink
        to={`${paths.registerSensors}?fromPSControl=true`}
        query="none"
        sx={{ ...standaloneLinkStyles, alignSelf: "flex-start" }}
      >
        {text.registerInstead}
      </AppLink>
    </>
  );
}

export function NewSensorDialog() {
  const go = useGo();
  const toasts = useToasts();
  return (
    <NewOwned
      entity={sensor}
      form={form}
      text={text}
      refusals={refusals}
      empty={empty}
      isDirty={({ name }) => name !== ""}
      toNew={(values, owner) => ({ _id: idOf(values) ?? "", type: values.type, owner: owner.id })}
      onCreated={(made, { type }) => {
        const open = { label: text.openIt, onClick: () => go(paths.sensorGeneral(type, made._id), { query: "none" }) };
        toasts.success(text.created(made._id), isFullObject(made) ? open : undefined);
      }}
    />
  );
}

export const DeleteSensorDialog = () => <DeleteOwned entity={sensor} />;
