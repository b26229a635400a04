// Display names of the rights by scope key.
import type { OwnableType } from "./permissions.ts";

export const rightNames = {
  view: "View",
  edit: "Edit",
  delete: "Delete",
  createFor: "Create for",
  from: "Change owner from",
  to: "Change owner to",
  assignRoles: "Assign roles",
  assignSensors: "Assign sensors",
  useFirmware: "Use firmware",
  createAccounts: "Create accounts",
} as const;

const rightAreas = {
  owner: "Owner",
  role: "Role",
  sensor: "Sensor",
  measurement: "Location",
  artifact: "Firmware",
  file: "File",
} as const satisfies Record<OwnableType | "owner", string>;

const ofAccounts: Record<string, string> = {
  "owner.canCreateOwner": rightNames.createAccounts,
  "owner.canViewOwner": rightNames.view,
  "owner.canEditOwner": rightNames.edit,
  "owner.canDeleteOwner": rightNames.delete,
  "other.canAssignRoles": rightNames.assignRoles,
  "other.canAssignSensors": rightNames.assignSensors,
  "other.canUseArtifact": rightNames.useFirmware,
};

const ofThings: Record<string, string> = {
  canViewObject: rightNames.view,
  canEditObject: rightNames.edit,
  canDeleteObject: rightNames.delete,
  canCreateObjectFor: rightNames.createFor,
  "canChangeOwner.from": rightNames.from,
  "canChangeOwner.to": rightNames.to,
};

/** Returns a name like "Sensor › Edit", or the key if it has no name. */
export function getRightName(key: string): string {
  const plain = ofAccounts[key];
  if (plain !== undefined) return `${rightAreas.owner} › ${plain}`;
  const [, type, right] = /^ownable\.(\w+)\.(.+)$/.exec(key) ?? [];
  const name = ofThings[right ?? ""];
  return name !== undefined && type !== undefined && Object.hasOwn(rightAreas, type)
    ? `${rightAreas[type as OwnableType]} › ${name}`
    : key;
}
