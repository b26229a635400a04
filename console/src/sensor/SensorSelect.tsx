// Choosing a sensor by its ID, among those that the asker may change.
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { call } from "../api/call.ts";
import { useChoices } from "../entity/reference/useChoices.ts";
import { useOwners } from "../session/useCan.ts";
import { SearchSelect } from "../ui/form/SearchSelect.tsx";
import { useNoChoice } from "../ui/form/useNoChoice.ts";

const shown = 50;

export type ChosenSensor = { id: string; locationName: string | null };

type SensorSelectProps = {
  label: string;
  value: string | null;
  onChange: (sensor: ChosenSensor | null) => void;
  /** Whose sensors may be chosen. */
  allow: (owner: Owner) => boolean;
  /** The list was opened and offers nothing: there is no sensor, or none is allowed. */
  onNoChoice?: (why: "none" | "notAllowed") => void;
  id?: string;
  error?: string | undefined;
  helperText?: string | undefined;
  placeholder?: string;
};

/** Props: `label`, `value` (id), `onChange(sensor)`, `allow`, `onNoChoice?` and the usual ones of a field. */
export function SensorSelect({ value, onChange, allow, onNoChoice, ...field }: SensorSelectProps) {
  const { data, isWhole, search } = useChoices(["sensor", "select"], (typed, signal) =>
    call(listSensors, {
      query: {
        limit: String(shown),
        sortBy: "_id",
        includeTotals: "true",
        ...(typed === "" ? {} : { sensorID: typed }),
      },
      signal,
    }),
  );
  const list = data?.objects ?? [];
  const beyond = (data?.total ?? 0) - list.length;
  const { ownerOf, ready } = useOwners(list.map((sensor) => sensor.owner._id));
  const allowed = list.filter((sensor) => allow(ownerOf(sensor.owner._id)));
  const why = list.length === 0 ? "none" : "notAllowed";
  const opening = useNoChoice(
    isWhole && ready ? (beyond > 0 || allowed.length > 0 ? null : why) : undefined,
    onNoChoice,
  );
  return (
    <SearchSelect
      {...field}
      {...search}
      {...opening}
      value={value === null ? null : { id: value, label: value }}
      onChange={(option) => {
        const sensor = list.find(({ _id }) => _id === option?.id);
        onChange(sensor === undefined ? null : { id: sensor._id, locationName: sensor.measurement?.name ?? null });
      }}
      options={allowed.map((sensor) => ({ id: sensor._id, label: sensor._id, hint: hintOf(sensor) }))}
      total={allowed.length + beyond}
    />
  );
}

function hintOf(sensor: Sensor): string {
  return [sensor.type, sensor.measurement?.name ?? sensor.owner.name].join(" · ");
}
