// Choosing a sensor's location, and why there is no firmware to choose: the same on its page and in batches.
import { clientErrors } from "@psp/contract/errors.ts";
import { assignSensorSet } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { LocationSelect } from "../../entity/reference/LocationSelect.tsx";
import { type NoChoice, type Ref, refField } from "../../entity/reference/ReferenceSelect.tsx";
import { useCan } from "../../session/useCan.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { sensorText } from "../sensor.text.ts";

type LocationFieldProps = {
  value: Ref | null;
  onChange: (location: Ref | null) => void;
  readOnly?: boolean;
  hint?: string;
  error?: string | undefined;
  opens?: boolean;
};

/** Locations that the account may put sensors on; the present one always stays choosable. */
export function LocationField({ value, onChange, readOnly = false, hint, error, opens = false }: LocationFieldProps) {
  const can = useCan();
  const none = !can.viewType("measurement");
  const noOther = isEmptySet(assignSensorSet(can.actor)) && !readOnly;
  return (
    <LocationSelect
      label={sensorText.location}
      {...refField(value, onChange)}
      allow={can.assignSensor}
      placeholder={sensorText.none}
      readOnly={readOnly || (none && value === null)}
      opens={opens}
      error={error}
      helperText={none ? sensorText.noLocations : noOther ? sensorText.noOtherLocation : hint}
    />
  );
}

/** Says in a toast why a list of firmware that was opened holds no choice (ER-02, spec 2 §8). */
export function useNoFirmware(): (why: NoChoice) => void {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  return (why) => {
    if (why === "notAllowed") return toasts.error({ title: clientErrors[10].message });
    const create = { label: "Create artifact", onClick: () => go(paths.newFirmware, { query: "dropList" }) };
    toasts.error({ title: clientErrors[9].message, ...(can.viewType("artifact") ? { action: create } : {}) });
  };
}
