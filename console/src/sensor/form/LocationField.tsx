// Select for a sensor's location, and the toast for an empty firmware select.
import { clientErrors } from "@psp/contract/errors.ts";
import { resolveAssignSensorScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { LocationSelect } from "../../entity/reference/LocationSelect.tsx";
import { type NoChoiceReason, type NamedRef, toReferenceFieldProps } from "../../entity/reference/ReferenceSelect.tsx";
import { useMayEditLocation } from "../../entity/reference/useMayEditLocation.ts";
import { useCan } from "../../api/session/useCan.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { sensorText } from "../sensor.text.ts";

type LocationFieldProps = {
  value: NamedRef | null;
  /** Id of the current location. The field is read-only for users who may not edit that location. */
  present?: string | null;
  onChange: (location: NamedRef | null) => void;
  readOnly?: boolean;
  error?: string | undefined;
  opens?: boolean;
};

/** Offers the locations to which the user may assign sensors, plus the current one. */
export function LocationField(props: LocationFieldProps) {
  const { value, present = null, onChange, readOnly = false, error, opens = false } = props;
  const can = useCan();
  const none = !can.viewType("measurement");
  const stays = useMayEditLocation(none || readOnly ? null : present) === false;
  const hint = () => {
    if (none) return sensorText.noLocations;
    if (stays) return sensorText.noOtherLocation;
    return isEmptySet(resolveAssignSensorScope(can.actor)) && !readOnly ? sensorText.noAssign : undefined;
  };
  return (
    <LocationSelect
      label={sensorText.location}
      {...toReferenceFieldProps(value, onChange)}
      allow={can.assignSensor}
      placeholder={sensorText.none}
      readOnly={readOnly || stays || (none && value === null)}
      opens={opens}
      error={error}
      helperText={hint()}
    />
  );
}

/** Returns a function that explains in a toast why no firmware can be selected (ER-02). */
export function useNoFirmwareToast(): (why: NoChoiceReason) => void {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  return (why) => {
    if (why === "notAllowed") return toasts.error({ title: clientErrors.noArtifactAssignable.message });
    const create = { label: "Create artifact", onClick: () => go(paths.newFirmware, { query: "dropList" }) };
    toasts.error({ title: clientErrors.noArtifact.message, ...(can.viewType("artifact") ? { action: create } : {}) });
  };
}
