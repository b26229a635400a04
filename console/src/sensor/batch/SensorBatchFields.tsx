// The one field of a batch dialog, offered as far as the server would accept it for some sensor at least (PE-02).
import { changeOwnerSets } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { type SensorType, sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import { Alert, MenuItem, TextField } from "@mui/material";
import { useEffect, useState } from "react";
import { useNoOwner } from "../../entity/owner-choice.ts";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { FirmwareSelect, noFirmware } from "../../entity/reference/FirmwareSelect.tsx";
import { refField } from "../../entity/reference/ReferenceSelect.tsx";
import { useCan } from "../../session/useCan.ts";
import { ChipsField, withPending } from "../../ui/form/ChipsField.tsx";
import { sensorBatchText } from "./sensor.batch.text.ts";
import type { SensorChanges } from "./sensor.batch.ts";
import type { BatchField } from "./sensor.batch.values.ts";
import { LocationField, useNoFirmware } from "../form/LocationField.tsx";
import { groupsError } from "../form/sensor.form.ts";
import { sensorText } from "../sensor.text.ts";

/** What was chosen, null for nothing; `isWrong` while its field says what is wrong with it. */
export type Choice = { changes: SensorChanges; words: string; isWrong?: boolean };
type FieldProps = { choice: Choice | null; onChoose: (choice: Choice | null) => void };

/** Location and groups may be left empty: then the sensors get none (spec 2 §5). */
export function firstChoice(field: BatchField): Choice | null {
  if (field === "measID") return { changes: { measID: null }, words: sensorBatchText.nothing };
  return field === "groups" ? { changes: { groups: [] }, words: sensorBatchText.nothing } : null;
}

type BatchFieldProps = FieldProps & {
  field: BatchField;
  /** Of the chosen sensors, where it is known. */
  type: string | undefined;
};

export function SensorBatchField({ field, type, ...props }: BatchFieldProps) {
  if (field === "owner") return <OwnerField {...props} />;
  if (field === "artifact") return <FirmwareField {...props} type={sensorTypes.find((one) => one === type)} />;
  if (field === "groups") return <GroupsField {...props} />;
  const { choice, onChoose } = props;
  const { measID } = choice?.changes ?? {};
  if (field === "measID")
    return (
      <LocationField
        value={measID ? { id: measID, name: choice?.words ?? "" } : null}
        onChange={(chosen) =>
          onChoose(chosen === null ? firstChoice(field) : { changes: { measID: chosen.id }, words: chosen.name })
        }
        hint={sensorBatchText.emptyLocationHint}
      />
    );
  return <ClaimableField {...props} />;
}

function OwnerField({ choice, onChoose }: FieldProps) {
  const can = useCan();
  const mayGive = !isEmptySet(changeOwnerSets(can.actor, "sensor").from);
  const { owner } = choice?.changes ?? {};
  return (
    <AccountSelect
      label={sensorText.owner}
      {...refField(owner === undefined ? null : { id: owner, name: choice?.words ?? "" }, (chosen) =>
        onChoose(chosen && { changes: { owner: chosen.id }, words: chosen.name }),
      )}
      choice="receiveSensor"
      onNoChoice={useNoOwner("sensor", mayGive)}
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
      value={choice === null ? null : (choice.changes.artifact ?? noFirmware)}
      valueName={taken ? sensorText.none : choice?.words}
      onChange={(id, name) => {
        if (id === null) onChoose(null);
        else if (id === noFirmware) onChoose({ changes: { artifact: null }, words: sensorBatchText.nothing });
        else onChoose({ changes: { artifact: id }, words: name });
      }}
      noneLabel={sensorText.none}
      type={type}
      onNoChoice={useNoFirmware()}
      helperText={
        taken ? sensorBatchText.noFirmwareHint : type === undefined ? sensorBatchText.firmwareHint : undefined
      }
    />
  );
}

function GroupsField({ choice, onChoose }: FieldProps) {
  const [chips, setChips] = useState<string[]>([]);
  const [pending, setPending] = useState("");
  const wrong = groupsError(withPending(chips, pending));
  // What is typed and not yet a chip counts, too (spec 2 §5).
  useEffect(() => {
    const groups = withPending(chips, pending);
    const words = groups.join(", ") || sensorBatchText.nothing;
    onChoose({ changes: { groups }, words, isWrong: groupsError(groups) !== undefined });
  }, [chips, pending, onChoose]);
  return (
    <>
      <Alert severity="warning">{sensorBatchText.groupsOverwritten}</Alert>
      <ChipsField
        label={sensorText.groups}
        value={chips}
        onChange={setChips}
        onPending={setPending}
        error={wrong}
        helperText={choice?.words === sensorBatchText.nothing ? sensorBatchText.noGroupsHint : sensorText.groupsHint}
      />
    </>
  );
}

function ClaimableField({ choice, onChoose }: FieldProps) {
  const value = choice?.changes.claimable;
  return (
    <TextField
      select
      label={sensorText.reRegistration}
      value={value === undefined ? "" : String(value)}
      onChange={(event) => {
        const claimable = event.target.value === "true";
        onChoose({ changes: { claimable }, words: claimable ? sensorText.enabled : sensorText.disabled });
      }}
      helperText={`${sensorBatchText.claimableHint}. ${sensorBatchText.noCodeHint}.`}
    >
      <MenuItem value="true">{sensorText.enabled}</MenuItem>
      <MenuItem value="false">{sensorText.disabled}</MenuItem>
    </TextField>
  );
}
