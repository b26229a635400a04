// Choosing a firmware: of one sensor type where that matters, and only what the asker may use; the present choice always stays.
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import type { Firmware } from "@psp/contract/firmware/firmware.ts";
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/call.ts";
import { useFirmwareName } from "../api/useNames.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { SearchSelect } from "../ui/SearchSelect.tsx";

const shown = 50;
const asked = 500;

type FirmwareSelectProps = {
  label: string;
  value: string | null;
  valueName?: string | undefined;
  onChange: (id: string | null, name: string) => void;
  type?: SensorType | undefined;
  /** Only what the account may put on sensors; default true. A filter shows all that can be seen. */
  usableOnly?: boolean;
  id?: string;
  error?: string | undefined;
  helperText?: string | undefined;
  readOnly?: boolean;
  placeholder?: string;
};

/** Props: `label`, `value` (id), `onChange(id, name)`, `type?`, `usableOnly?` and the usual ones of a field. */
export function FirmwareSelect({ value, valueName, onChange, type, usableOnly = true, ...field }: FirmwareSelectProps) {
  const [text, setText] = useState("");
  const can = useCan();
  const { data, isFetching } = useQuery({
    queryKey: ["artifact", "select", text, type],
    queryFn: ({ signal }) =>
      call(listFirmware, {
        query: {
          limit: String(asked),
          sortBy: type === undefined ? ["type", "-name"] : "-name",
          includeTotals: "true",
          ...(type === undefined ? {} : { sensorType: type }),
          ...(text === "" ? {} : { name: text }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
  const list: Firmware[] = data === undefined ? [] : Array.isArray(data) ? data : data.objects;
  const { ownerOf } = useOwners(list.map((firmware) => firmware.owner._id));
  const usable = list.filter(
    (firmware) =>
      !usableOnly ||
      firmware._id === value ||
      can.useFirmware({ owner: ownerOf(firmware.owner._id), objPerm: firmware.objPerm }),
  );
  const nameOf = (firmware: Firmware) => (type === undefined ? `${firmware.type} ${firmware.name}` : firmware.name);
  const options = usable
    .slice(0, shown)
    .map((firmware) => ({ id: firmware._id, label: nameOf(firmware), hint: firmware.owner.name }));
  const found = useFirmwareName(valueName === undefined ? value : null);
  const chosen = list.find((firmware) => firmware._id === value);
  return (
    <SearchSelect
      {...field}
      value={
        value === null
          ? null
          : { id: value, label: valueName ?? (chosen === undefined ? (found ?? "…") : nameOf(chosen)) }
      }
      onChange={(option) => onChange(option?.id ?? null, option?.label ?? "")}
      options={options}
      total={usable.length}
      loading={isFetching}
      onSearch={setText}
    />
  );
}
