// Texts of the pages that show who can see an object, and why.
import type { AccessRight, AccessType } from "@psp/contract/permission/access.ts";

export const accessText = {
  who: "Who can see this?", // fixed
  access: "Access",
  account: "Account",
  type: "Type",
  object: "Object",
  right: "Right",
  allowed: "Allowed",
  reason: "Reason",
  yes: "Yes",
  no: "No",
  pick: "Choose an account to see what it can do here, and why.",
  pickObject: (name: string) => `Choose an object to see what ${name} can do with it, and why.`,
  answer: (account: string, object: string) => `What ${account} can do with ${object}`,
  failed: "The permissions could not be loaded.",
  missing: "You can no longer view this account or object.",
  again: "Try again",
  types: {
    sensor: "Sensor",
    measurement: "Location",
    artifact: "Firmware",
    role: "Role",
    owner: "Account",
  } satisfies Record<AccessType, string>,
} as const;

const names: Record<AccessRight, string> = {
  view: "View",
  edit: "Edit",
  delete: "Delete",
  changeOwner: "Change owner",
  assign: "Assign to a location",
  use: "Use on sensors",
  assignRoles: "Assign roles",
};

export function rightName(type: AccessType, right: string): string {
  if (type === "measurement" && right === "assign") return "Assign sensors to it";
  return names[right as AccessRight] ?? right;
}
