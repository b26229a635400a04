// Converts, validates and undoes the fields of the sensor form (SE-08).
import { serverErrors } from "@psp/contract/errors.ts";
import { hasForbiddenCharacters } from "@psp/contract/kit/text-bounds.ts";
import { groupLimits, type Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Undo } from "../../entity/undo.ts";
import type { NamedRef } from "../../entity/reference/ReferenceSelect.tsx";
import { sensorPageText } from "../sensor-page.text.ts";
import type { SensorUpdate } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";

export type SensorFields = {
  owner: NamedRef;
  firmware: NamedRef | null;
  location: NamedRef | null;
  groups: string[];
  claimable: boolean;
};
export type SensorFieldName = keyof SensorFields;

export const labelOf = (name: SensorFieldName) => sensorText[name === "claimable" ? "reRegistration" : name];

const refOf = (object: { _id: string; name: string } | null): NamedRef | null =>
  object === null ? null : { id: object._id, name: object.name };

export function toFields(sensor: Sensor): SensorFields {
  return {
    owner: { id: sensor.owner._id, name: sensor.owner.name },
    firmware: refOf(sensor.artifact),
    location: refOf(sensor.measurement),
    groups: sensor.groups,
    claimable: sensor.claimable,
  };
}

/** Contains only changed fields; cleared ones are null. */
export function toSensorUpdate(values: SensorFields, changed: readonly SensorFieldName[]): SensorUpdate {
  const has = (name: SensorFieldName) => changed.includes(name);
  return {
    ...(has("owner") ? { owner: values.owner.id } : {}),
    ...(has("firmware") ? { artifact: values.firmware?.id ?? null } : {}),
    ...(has("location") ? { measID: values.location?.id ?? null } : {}),
    ...(has("groups") ? { groups: values.groups } : {}),
    ...(has("claimable") ? { claimable: values.claimable } : {}),
  };
}

/** Undefined if nothing changed, or if the firmware changed, because firmware-undo.ts handles that case. */
export function createSensorUndo(
  before: SensorFields,
  changed: readonly SensorFieldName[],
): Undo<SensorUpdate> | undefined {
  if (changed.length === 0 || changed.includes("firmware")) return undefined;
  const title = `${changed.map(labelOf).join(", ")} changed`;
  const change = toSensorUpdate(before, changed);
  if (!changed.includes("owner")) return { change, title };
  // Changing the owner cleared location and re-registration, so one request restores all three.
  const place = before.location === null ? {} : { measID: before.location.id };
  const open = before.claimable ? { claimable: true } : {};
  return { change: { ...change, ...place, ...open }, title, undone: sensorPageText.ownerUndone };
}

export function formatFieldValue(fields: SensorFields, name: SensorFieldName): string {
  if (name === "groups") return fields.groups.join(", ") || sensorPageText.empty;
  if (name === "claimable") return fields.claimable ? sensorPageText.on : sensorPageText.off;
  return fields[name]?.name ?? sensorPageText.empty;
}

export function validateGroups(groups: readonly string[]): string | undefined {
  if (groups.some(hasForbiddenCharacters)) return serverErrors.invalidInput.message;
  if (groups.some((group) => group.length > groupLimits.length)) return sensorPageText.groupTooLong(groupLimits.length);
  return groups.length > groupLimits.count ? sensorPageText.tooManyGroups(groupLimits.count) : undefined;
}
