// The sensor that a new location may get at once: offered as far as the server would accept it, and why there is none (spec 3 §8).
import { serverErrors } from "@psp/contract/errors.ts";
import { assignSensorSet } from "@psp/contract/permission/can.ts";
import { isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { type ChosenSensor, SensorSelect } from "../../sensor/SensorSelect.tsx";
import { useCan, useOwners } from "../../session/useCan.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { locationText } from "../location.text.ts";

type NewLocationSensorProps = {
  value: ChosenSensor | null;
  onChange: (sensor: ChosenSensor | null) => void;
  /** Who is to own the location; null while nobody is chosen. */
  ownerId: string | null;
};

/** Why this sensor can't be put at a location of this owner, undefined where it can (301). */
export function useSensorRefusal(ownerId: string | null): string | undefined {
  const can = useCan();
  const { ownerOf, ready } = useOwners(ownerId === null ? [] : [ownerId]);
  const isRefused =
    ownerId === null ? isEmptySet(assignSensorSet(can.actor)) : ready && !can.assignSensor(ownerOf(ownerId));
  return isRefused ? serverErrors[301].message : undefined;
}

/** Props: `value`, `onChange`, `ownerId`. */
export function NewLocationSensor({ value, onChange, ownerId }: NewLocationSensorProps) {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const refusal = useSensorRefusal(ownerId);
  const explain = (why: "none" | "notAllowed") => {
    if (why === "notAllowed") return toasts.error({ title: locationText.noSensorAssignable });
    const register = () => go(`${paths.registerSensors}?fromPSControl=true`, { query: "none" });
    const newSensor = { label: locationText.newSensor, onClick: register };
    toasts.error({ title: locationText.noSensor, ...(can.viewType("sensor") ? { action: newSensor } : {}) });
  };
  return (
    <SectionCard title={locationText.sensors} gap={4}>
      <SensorSelect
        id="location-sensor"
        label={locationText.sensor}
        value={value?.id ?? null}
        onChange={onChange}
        allow={(owner: Owner) => refusal === undefined && can.edit("sensor", owner)}
        onNoChoice={explain}
        placeholder={locationText.none}
        error={value === null ? undefined : refusal}
        helperText={value?.locationName ? locationText.leaves(value.locationName) : undefined}
      />
    </SectionCard>
  );
}
