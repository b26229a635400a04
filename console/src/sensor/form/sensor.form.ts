// What a sensor's General form holds, what of it is sent, and what it refuses before it asks the server (SE-08).
import { serverErrors } from "@psp/contract/errors.ts";
import { breaksInputRule } from "@psp/contract/kit/text-bounds.ts";
import { groupLimits, type Sensor } from "@psp/contract/sensor/sensor.ts";
import type { Undo } from "../../entity/undo.ts";
import type { Ref } from "../../entity/reference/ReferenceSelect.tsx";
import { sensorPageText } from "../sensor-page.text.ts";
import type { SensorUpdate } from "../sensor.entity.ts";
import { sensorText } from "../sensor.text.ts";

export type SensorFields = {
  owner: Ref;
  firmware: Ref | null;
  location: Ref | null;
  groups: string[];
  claimable: boolean;
};
export type SensorFieldName = keyof SensorFields;

export const labelOf = (name: SensorFieldName) => sensorText[name === "claimable" ? "reRegistration" : name];

const refOf = (object: { _id: string; name: string } | null): Ref | null =>
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

/** Only what was changed is sent; a cleared location or firmware is sent as null. */
export function toChange(values: SensorFields, changed: readonly SensorFieldName[]): SensorUpdate {
  const has = (name: SensorFieldName) => changed.includes(name);
  return {
    ...(has("owner") ? { owner: values.owner.id } : {}),
    ...(has("firmware") ? { artifact: values.firmware?.id ?? null } : {}),
    ...(has("location") ? { measID: values.location?.id ?? null } : {}),
    ...(has("groups") ? { groups: values.groups } : {}),
    ...(has("claimable") ? { claimable: values.claimable } : {}),
  };
}

/** How a change of these fields is taken back. A firmware is on its way by then, and is stopped on its own card. */
export function undoOf(before: SensorFields, changed: readonly SensorFieldName[]): Undo<SensorUpdate> | undefined {
  if (changed.length === 0 || changed.includes("firmware")) return undefined;
  const title = `${changed.map(labelOf).join(", ")} changed`;
  const change = toChange(before, changed);
  if (!changed.includes("owner")) return { change, title };
  // With its owner a sensor lost its place and its re-registration: both are given back in the same call.
  const place = before.location === null ? {} : { measID: before.location.id };
  const open = before.claimable ? { claimable: true } : {};
  return { change: { ...change, ...place, ...open }, title, undone: sensorPageText.ownerUndone };
}

/** A field's value in words, for telling what somebody else set. */
export function wordsOf(fields: SensorFields, name: SensorFieldName): string {
  if (name === "groups") return fields.groups.join(", ") || sensorPageText.empty;
  if (name === "claimable") return fields.claimable ? sensorPageText.on : sensorPageText.off;
  return fields[name]?.name ?? sensorPageText.empty;
}

export function groupsError(groups: readonly string[]): string | undefined {
  if (groups.some(breaksInputRule)) return serverErrors.invalidInput.message;
  if (groups.some((group) => group.length > groupLimits.length)) return sensorPageText.groupTooLong(groupLimits.length);
  return groups.length > groupLimits.count ? sensorPageText.tooManyGroups(groupLimits.count) : undefined;
}
