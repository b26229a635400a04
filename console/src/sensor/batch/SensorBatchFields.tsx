// Input of a batch dialog. Offers only values that the server would accept for at least one sensor (PE-02).
import { resolveChangeOwnerScopes } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { type SensorType, sensorTypes } from "@psp/contract/device/sensor-type.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert } from "@mui/material";
import { useEffect, useState } from "react";
import { useNoOwnerToast } from "../../entity/owner-choice.ts";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { FirmwareSelect, noFirmwareId } from "../../entity/reference/FirmwareSelect.tsx";
import { toReferenceFieldProps } from "../../entity/reference/ReferenceSelect.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { BatchWays } from "../../ui/batch/BatchWays.tsx";
import { ChipsField, addPendingChips } from "../../ui/choice/ChipsField.tsx";
import { sensorBatchText } from "./sensor.batch.text.ts";
import type { SensorChanges } from "./sensor.batch.ts";
import type { BatchField } from "./sensor.batch.values.ts";
import { LocationField, useNoFirmwareToast } from "../form/LocationField.tsx";
import { validateGroups } from "../form/sensor.form.ts";
import { sensorText } from "../sensor.text.ts";
import { SelectField } from "../../ui/form/SelectField.tsx";

/** The selected change. The examples show `words` as the new value, or `wordsFor` if it differs by sensor. */
export type FieldChoice = {
  changes: SensorChanges;
  words: string;
  isWrong?: boolean;
  wordsFor?: (sensor: Sensor) => string;
};
type FieldProps = {
  choice: FieldChoice | null;
  onChoose: (choice: FieldChoice | null) => void;
  /** Whether the user has tried to start the batch; only then is a missing choice an error. */
  tried: boolean;
};

/** Whether the user must first choose what to do, such as adding or replacing groups. */
export const needsMode = (field: BatchField) => field === "measID" || field === "groups";

type BatchFieldProps = FieldProps & {
  field: BatchField;
  /** The sensor type, if the list is filtered by a single one. */
  type: string | undefined;
};

export function SensorBatchField({ field, type, ...props }: BatchFieldProps) {
  if (field === "owner") return <OwnerField {...props} />;
  if (field === "artifact") return <FirmwareField {...props} type={sensorTypes.find((one) => one === type)} />;
  if (field === "groups") return <GroupsField {...props} />;
  if (field === "measID") return <PlaceField {...props} />;
  return <ClaimableField {...props} />;
}

function PlaceField({ choice, onChoose, tried }: FieldProps) {
  const [way, setWay] = useState<keyof typeof sensorBatchText.locationChanges | null>(null);
  const { measID } = choice?.changes ?? {};
  const choose = (next: NonNullable<typeof way>) => {
    setWay(next);
    onChoose(next === "remove" ? { changes: { measID: null }, words: sensorBatchText.nothing } : null);
  };
  return (
    <>
      <BatchWays ways={sensorBatchText.locationChanges} value={way} onChange={choose} error={tried && way === null} />
      {way === "move" ? (
        <LocationField
          value={measID ? { id: measID, name: choice?.words ?? "" } : null}
          onChange={(chosen) => onChoose(chosen && { changes: { measID: chosen.id }, words: chosen.name })}
          error={tried && choice === null ? sensorBatchText.chooseLocation : undefined}
        />
      ) : null}
    </>
  );
}

function OwnerField({ choice, onChoose }: FieldProps) {
  const can = useCan();
  const mayGive = !isEmptySet(resolveChangeOwnerScopes(can.actor, "sensor").from);
  const { owner } = choice?.changes ?? {};
  return (
    <AccountSelect
      label={sensorText.owner}
      {...toReferenceFieldProps(owner === undefined ? null : { id: owner, name: choice?.words ?? "" }, (chosen) =>
        onChoose(chosen && { changes: { owner: chosen.id }, words: chosen.name }),
      )}
      choice="receiveSensor"
      onNoChoice={useNoOwnerToast("sensor", mayGive)}
      helperText={sensorBatchText.ownerHint}
      required
    />
  );
}

function FirmwareField({ choice, onChoose, type }: FieldProps & { type: SensorType | undefined }) {
  const taken = choice?.changes.artifact === null;
  return (
    <FirmwareSelect
      label={sensorText.firmware}
      value={choice === null ? null : (choice.changes.artifact ?? noFirmwareId)}
      valueName={taken ? sensorText.none : choice?.words}
      onChange={(id, name) => {
        if (id === null) onChoose(null);
        else if (id === noFirmwareId) onChoose({ changes: { artifact: null }, words: sensorBatchText.nothing });
        else onChoose({ changes: { artifact: id }, words: name });
      }}
      noneLabel={sensorText.none}
      type={type}
      onNoChoice={useNoFirmwareToast()}
      helperText={
        taken ? sensorBatchText.noFirmwareHint : type === undefined ? sensorBatchText.firmwareHint : undefined
      }
    />
  );
}

type GroupsWay = keyof typeof sensorBatchText.groupsChanges;

function GroupsField({ onChoose, tried }: FieldProps) {
  const [way, setWay] = useState<GroupsWay | null>(null);
  const [chips, setChips] = useState<string[]>([]);
  const [pending, setPending] = useState("");
  const groups = addPendingChips(chips, pending);
  const wrong = validateGroups(groups);
  const isMissing = way !== null && way !== "replace" && groups.length === 0;
  // Includes a group that is still being typed.
  useEffect(() => {
    const typed = addPendingChips(chips, pending);
    onChoose(way === null ? null : groupsChoice(way, typed));
  }, [way, chips, pending, onChoose]);
  return (
    <>
      <BatchWays ways={sensorBatchText.groupsChanges} value={way} onChange={setWay} error={tried && way === null} />
      {way === null || way === "replace" ? <Alert severity="warning">{sensorBatchText.groupsOverwritten}</Alert> : null}
      {way === null ? null : (
        <ChipsField
          label={sensorText.groups}
          value={chips}
          onChange={setChips}
          onPending={setPending}
          error={wrong ?? (tried && isMissing ? sensorBatchText.chooseGroups : undefined)}
          helperText={way === "replace" && groups.length === 0 ? sensorBatchText.noGroupsHint : sensorText.groupsHint}
        />
      )}
    </>
  );
}

function groupsChoice(way: GroupsWay, groups: string[]): FieldChoice {
  const isWrong = validateGroups(groups) !== undefined || (way !== "replace" && groups.length === 0);
  const inWords = (names: readonly string[]) => names.join(", ") || sensorBatchText.nothing;
  if (way === "replace") return { changes: { groups }, words: inWords(groups), isWrong };
  const after = (present: readonly string[]) =>
    way === "add" ? [...new Set([...present, ...groups])] : present.filter((name) => !groups.includes(name));
  return {
    changes: { groups: way === "add" ? { add: groups } : { remove: groups } },
    words: inWords(groups),
    wordsFor: (sensor) => inWords(after(sensor.groups)),
    isWrong,
  };
}

function ClaimableField({ choice, onChoose }: FieldProps) {
  const value = choice?.changes.claimable;
  return (
    <SelectField<string>
      label={sensorText.reRegistration}
      value={value === undefined ? "" : String(value)}
      onChange={(chosen) => {
        const claimable = chosen === "true";
        onChoose({ changes: { claimable }, words: claimable ? sensorText.enabled : sensorText.disabled });
      }}
      choices={[
        ["true", sensorText.enabled],
        ["false", sensorText.disabled],
      ]}
      helperText={`${sensorBatchText.claimableHint}. ${sensorBatchText.noCodeHint}.`}
    />
  );
}
