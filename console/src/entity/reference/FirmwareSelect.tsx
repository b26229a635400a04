// Choosing a firmware: of one sensor type where that matters, and only what the asker may use; the present choice always stays.
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import { call } from "../../api/call.ts";
import { useChoices } from "./useChoices.ts";
import { useName } from "./useNames.ts";
import { useCan, useOwners } from "../../session/useCan.ts";
import { IdSelect, type IdSelectField } from "../../ui/form/IdSelect.tsx";
import { useNoChoice } from "../../ui/form/useNoChoice.ts";

const shown = 50;
const asked = 500;

/** Id of the choice to have no firmware, where that is one of them. */
export const noFirmware = "";

type FirmwareSelectProps = IdSelectField & {
  type?: SensorType | undefined;
  /** The list was opened and offers nothing but the present choice: there is no firmware, or none may be used. */
  onNoChoice?: (why: "none" | "notAllowed") => void;
  /** Only what the account may put on sensors; default true. A filter shows all that can be seen. */
  usableOnly?: boolean;
  /** Offers, by this name, to have none: `noFirmware`. */
  noneLabel?: string;
};

/** Props: `label`, `value` (id), `onChange(id, name)`, `type?`, `usableOnly?`, `noneLabel?`, `onNoChoice?` and the usual ones of a field. */
export function FirmwareSelect(props: FirmwareSelectProps) {
  const { type, usableOnly = true, noneLabel, onNoChoice, ...field } = props;
  const { value } = field;
  const can = useCan();
  const { data, isWhole, text, search } = useChoices(["artifact", "select", type], (typed, signal) =>
    call(listFirmware, {
      query: {
        limit: String(asked),
        sortBy: type === undefined ? ["type", "-name"] : "-name",
        includeTotals: "true",
        ...(type === undefined ? {} : { sensorType: type }),
        ...(typed === "" ? {} : { name: typed }),
      },
      signal,
    }),
  );
  const list = data?.objects ?? [];
  const { ownerOf, ready } = useOwners(list.map((firmware) => firmware.owner._id));
  const usable = list.filter(
    (firmware) =>
      !usableOnly ||
      firmware._id === value ||
      can.useFirmware({ owner: ownerOf(firmware.owner._id), objPerm: firmware.objPerm }),
  );
  const nameOf = (firmware: Firmware) => (type === undefined ? `${firmware.type} ${firmware.name}` : firmware.name);
  const named = usable
    .slice(0, shown)
    .map((firmware) => ({ id: firmware._id, label: nameOf(firmware), hint: firmware.owner.name }));
  const none =
    noneLabel === undefined || text !== "" || data === undefined ? [] : [{ id: noFirmware, label: noneLabel }];
  const found = useName("artifact", field.valueName === undefined ? value : null);
  const chosen = list.find((firmware) => firmware._id === value);
  const why = list.every(({ _id }) => _id === value) ? "none" : "notAllowed";
  const opening = useNoChoice(
    isWhole && ready ? (usable.every(({ _id }) => _id === value) ? why : null) : undefined,
    onNoChoice,
  );
  return (
    <IdSelect
      {...field}
      {...search}
      {...opening}
      found={chosen === undefined ? found : nameOf(chosen)}
      options={[...none, ...named]}
      total={none.length + usable.length}
    />
  );
}
