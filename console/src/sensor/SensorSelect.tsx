// Select for a sensor by id. Offers only sensors whose owner passes `allow`.
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import { type NoChoiceReason, type ReferenceField, ReferenceSelect } from "../entity/reference/ReferenceSelect.tsx";
import { useChoices } from "../entity/reference/useChoices.ts";
import { useOwners } from "../api/session/useCan.ts";

export type ChosenSensor = { id: string; locationName: string | null };

type SensorSelectProps = Omit<ReferenceField, "valueName" | "onChange"> & {
  onChange: (sensor: ChosenSensor | null) => void;
  allow: (owner: Owner) => boolean;
  onNoChoice?: (why: NoChoiceReason) => void;
  /** Filters of the sensor list. */
  filter?: Readonly<Record<string, string>>;
};

const query = { sortBy: "_id" };

export function SensorSelect({ onChange, allow, onNoChoice, filter, ...field }: SensorSelectProps) {
  const choices = useChoices<Sensor>({
    type: "sensor",
    list: listSensors,
    query: { ...query, ...filter },
    searchBy: "sensorID",
  });
  const { rows, hiddenCount: beyond, isUnfiltered: isWhole } = choices;
  const { ownerOf, ready } = useOwners(rows.map(({ owner }) => owner._id));
  const allowed = rows.filter(({ owner }) => allow(ownerOf(owner._id)));
  const nothing = beyond > 0 || allowed.length > 0 ? null : rows.length === 0 ? "none" : "notAllowed";
  return (
    <ReferenceSelect
      {...field}
      type="sensor"
      valueName={field.value ?? undefined}
      onChange={(id) => {
        const sensor = rows.find(({ _id }) => _id === id);
        onChange(sensor === undefined ? null : { id: sensor._id, locationName: sensor.measurement?.name ?? null });
      }}
      choices={choices}
      rows={allowed}
      toOption={(sensor) => ({ id: sensor._id, label: sensor._id, hint: hintOf(sensor) })}
      why={isWhole && ready ? nothing : undefined}
      onNoChoice={onNoChoice}
    />
  );
}

function hintOf(sensor: Sensor): string {
  return [sensor.type, sensor.measurement?.name ?? sensor.owner.name].join(" · ");
}
