// Select for a firmware that the user may use, optionally of one sensor type. Always includes the current firmware.
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { type NoChoiceReason, type ReferenceField, ReferenceSelect } from "./ReferenceSelect.tsx";
import { maxFetchedChoices, useChoices } from "./useChoices.ts";

/** Id of the option for no firmware. */
export const noFirmwareId = "";

type FirmwareSelectProps = ReferenceField & {
  type?: SensorType | undefined;
  onNoChoice?: (why: NoChoiceReason) => void;
  /** Default true. Filters set it to false to show all visible firmware. */
  usableOnly?: boolean;
  noneLabel?: string;
};

export function FirmwareSelect(props: FirmwareSelectProps) {
  const { type, usableOnly = true, noneLabel, onNoChoice, ...field } = props;
  const isChosen = ({ _id }: Firmware) => _id === field.value;
  const can = useCan();
  const query = {
    limit: String(maxFetchedChoices),
    ...(type === undefined ? { sortBy: ["type", "-name"] } : { sortBy: "-name", sensorType: type }),
  };
  const choices = useChoices<Firmware>({ type: "artifact", list: listFirmware, query });
  const { rows } = choices;
  const { ownerOf, ready } = useOwners(rows.map(({ owner }) => owner._id));
  const usable = rows.filter(
    (one) => !usableOnly || isChosen(one) || can.useFirmware({ owner: ownerOf(one.owner._id), objPerm: one.objPerm }),
  );
  const hasNone = noneLabel !== undefined && choices.text === "" && choices.data !== undefined;
  const nothing = usable.every(isChosen) ? (rows.every(isChosen) ? "none" : "notAllowed") : null;
  return (
    <ReferenceSelect
      {...field}
      type="artifact"
      choices={choices}
      rows={usable}
      toOption={(one) => ({
        id: one._id,
        label: type === undefined ? `${one.type} ${one.name}` : one.name,
        hint: one.owner.name,
      })}
      above={hasNone ? [{ id: noFirmwareId, label: noneLabel }] : []}
      beyond={0}
      why={choices.isUnfiltered && ready ? nothing : undefined}
      onNoChoice={onNoChoice}
    />
  );
}
