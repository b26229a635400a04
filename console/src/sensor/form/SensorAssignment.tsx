// The card of owner, location, firmware and groups; each choice is offered as far as the server would accept it (PE-02).
import { assignSensorSet, changeOwnerSets } from "@psp/contract/permission/can.ts";
import { contains, isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import type { Draft } from "../../entity/draft.ts";
import { FirmwareSelect } from "../../entity/reference/FirmwareSelect.tsx";
import { LocationSelect } from "../../entity/reference/LocationSelect.tsx";
import { useCan } from "../../session/useCan.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { ChipsField } from "../../ui/form/ChipsField.tsx";
import { useExplained } from "../useExplained.ts";
import { FreshValue } from "./FreshValue.tsx";
import { isInstalling } from "../sensor.facts.ts";
import { fieldLabels, type Ref, type SensorFieldName, type SensorFields, wordsOf } from "./sensor.form.ts";
import { sensorText } from "../sensor.text.ts";

type SensorAssignmentProps = {
  sensor: Sensor;
  owner: Owner;
  draft: Draft<SensorFields>;
  /** What the sensor has now, beside what is being edited. */
  current: SensorFields;
  readOnly: boolean;
  groupsError: string | undefined;
  /** For the groups' field, from `usePending`. */
  pending: { onPending: (text: string) => void; resetKey: number };
};

/** Props: `sensor`, `owner`, `draft`, `current`, `readOnly`, `groupsError`, `pending`. */
export function SensorAssignment(props: SensorAssignmentProps) {
  const { sensor, owner, draft, current, readOnly } = props;
  const { values, set } = draft;
  const can = useCan();
  const mayGive = contains(changeOwnerSets(can.actor, "sensor").from, owner);
  const explain = useExplained();
  const fresh = (name: SensorFieldName) =>
    draft.fresh.includes(name) ? (
      <FreshValue label={fieldLabels[name]} value={wordsOf(current, name)} onTake={() => draft.accept(name)} />
    ) : null;
  return (
    <SectionCard title={sensorText.assignment} gap={4}>
      <AccountSelect
        label={sensorText.owner}
        value={values.owner.id}
        valueName={values.owner.name}
        onChange={(id, name) => id !== null && set("owner", { id, name })}
        {...(mayGive ? { choice: "receiveSensor", keep: owner.id } : { only: owner.id })}
        onNoChoice={(why) => explain.owner(why, mayGive)}
        readOnly={readOnly}
        clearable={false}
        required
        helperText={values.owner.id === owner.id ? undefined : sensorText.handOverHint}
      />
      {fresh("owner")}
      <LocationField value={values.location} readOnly={readOnly} onChange={(place) => set("location", place)} />
      {fresh("location")}
      {can.viewType("artifact") ? (
        <FirmwareSelect
          label={sensorText.firmware}
          value={values.firmware?.id ?? null}
          valueName={values.firmware?.name}
          onChange={(id, name) => set("firmware", id === null ? null : { id, name })}
          type={sensor.type}
          onNoChoice={explain.firmware}
          placeholder={sensorText.none}
          readOnly={readOnly}
          helperText={firmwareHint(sensor, values.firmware)}
        />
      ) : null}
      {fresh("firmware")}
      <ChipsField
        label={sensorText.groups}
        value={values.groups}
        onChange={(groups) => set("groups", groups)}
        {...props.pending}
        readOnly={readOnly}
        error={props.groupsError}
        helperText={readOnly ? undefined : sensorText.groupsHint}
      />
      {fresh("groups")}
    </SectionCard>
  );
}

function firmwareHint(sensor: Sensor, chosen: Ref | null): string | undefined {
  if (sensor.artifact?.isDeleted === true && chosen?.id === sensor.artifact._id) return sensorText.deletedFirmware;
  return isInstalling(sensor) ? sensorText.installing : undefined;
}

type LocationFieldProps = { value: Ref | null; readOnly: boolean; onChange: (location: Ref | null) => void };

/** Locations that the account may put sensors on; the present one always stays choosable. */
function LocationField({ value, readOnly, onChange }: LocationFieldProps) {
  const can = useCan();
  const none = !can.viewType("measurement");
  const noOther = isEmptySet(assignSensorSet(can.actor));
  return (
    <LocationSelect
      label={sensorText.location}
      value={value?.id ?? null}
      valueName={value?.name}
      onChange={(id, name) => onChange(id === null ? null : { id, name })}
      allow={can.assignSensor}
      placeholder={sensorText.none}
      readOnly={readOnly || (none && value === null)}
      helperText={none ? sensorText.noLocations : noOther && !readOnly ? sensorText.noOtherLocation : undefined}
    />
  );
}
