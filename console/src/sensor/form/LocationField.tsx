// Choosing a sensor's location, and why there is no firmware to choose: the same on its page and in batches.
import { clientErrors } from "@psp/contract/errors.ts";
import { assignSensorSet } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { LocationSelect } from "../../entity/reference/LocationSelect.tsx";
import { type NoChoice, type Ref, refField } from "../../entity/reference/ReferenceSelect.tsx";
import { useMayEditLocation } from "../../entity/reference/useMayEditLocation.ts";
import { useCan } from "../../session/useCan.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { sensorText } from "../sensor.text.ts";

type LocationFieldProps = {
  value: Ref | null;
  /** Id of the location that the sensor is assigned to now; it keeps the sensor from those who can't edit it. */
  present?: string | null;
  onChange: (location: Ref | null) => void;
  readOnly?: boolean;
  error?: string | undefined;
  opens?: boolean;
};

/** Locations that the account may put sensors on; the present one always stays choosable. */
export function LocationField(props: LocationFieldProps) {
  const { value, present = null, onChange, readOnly = false, error, opens = false } = props;
  const can = useCan();
  const none = !can.viewType("measurement");
  const stays = useMayEditLocation(none || readOnly ? null : present) === false;
  const hint = () => {
    if (none) return sensorText.noLocations;
    if (stays) return sensorText.noOtherLocation;
    return isEmptySet(assignSensorSet(can.actor)) && !readOnly ? sensorText.noAssign : undefined;
  };
  return (
    <LocationSelect
      label={sensorText.location}
      {...refField(value, onChange)}
      allow={can.assignSensor}
      placeholder={sensorText.none}
      readOnly={readOnly || stays || (none && value === null)}
      opens={opens}
      error={error}
      helperText={hint()}
    />
  );
}

/** Shows a toast with the reason why the opened firmware list is empty (ER-02). */
export function useNoFirmware(): (why: NoChoice) => void {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  return (why) => {
    if (why === "notAllowed") return toasts.error({ title: clientErrors.noArtifactAssignable.message });
    const create = { label: "Create artifact", onClick: () => go(paths.newFirmware, { query: "dropList" }) };
    toasts.error({ title: clientErrors.noArtifact.message, ...(can.viewType("artifact") ? { action: create } : {}) });
  };
}
