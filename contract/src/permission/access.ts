// Explains each right that an account has on an object, with the same rules as the API calls: can.ts and why-not.ts (ADR 0008).
import * as can from "./can.ts";
import { explainEmptyScope, explainSharedFirmware, explainScope, type VisibleNames, noRoleReason } from "./explain.ts";
import { listScopes } from "./permissions.ts";
import { isEmptySet, type Owner, type Scope } from "./scope.ts";
import {
  findAccountDeletionDenial,
  findRoleDeletionDenial,
  findRoleEditDenial,
  findRoleReceiptDenial,
  rootKeepsRole,
} from "./why-not.ts";

export type AccessObject =
  | { type: "sensor" | "measurement"; owner: Owner }
  | { type: "artifact"; owner: Owner; objPerm: { childrenCanViewObject: boolean } }
  | { type: "role"; id: string; owner: Owner }
  | { type: "owner"; owner: Owner; hasChildren: boolean };
export type AccessType = AccessObject["type"];

/** Rights by object type, in display order. */
export const accessRights = {
  /** `assign`: assign the sensor to a location of its owner. */
  sensor: ["view", "edit", "delete", "changeOwner", "assign"],
  /** `assign`: assign sensors to the location. */
  measurement: ["view", "edit", "delete", "changeOwner", "assign"],
  artifact: ["view", "edit", "delete", "changeOwner", "use"],
  role: ["view", "edit", "delete", "changeOwner"],
  /** `assignRoles`: give the account another role. */
  owner: ["view", "edit", "delete", "assignRoles"],
} as const satisfies Record<AccessType, readonly string[]>;
export type AccessRight = (typeof accessRights)[AccessType][number];

export type RightDecision = { allowed: boolean; reason: string };

/** One requirement of a right. If the requirement is another right, `lead` names it before the reason. */
type Requirement = RightDecision & { lead?: string | undefined };

/** Returns the first failed requirement, beginning with `own`. If none failed, returns `own` with its reason. */
function firstFailed(own: Requirement, ...others: Requirement[]): RightDecision {
  const failed = [own, ...others].find(({ allowed }) => !allowed) ?? own;
  const { allowed, reason, lead } = failed;
  return { allowed, reason: lead === undefined || reason === noRoleReason ? reason : `${lead} ${reason}` };
}

const requirementTexts = {
  view: "The account can't see this object.",
  edit: "The account can't edit this object.",
  receivers: "There is no account to hand it over to.",
  locations: "The account can't see the owner's locations.",
};

/** Returns all rights of the account on the object. Reasons contain only names that the reader may see. */
export function explainRights(
  actor: can.Actor,
  object: AccessObject,
  reader: VisibleNames,
): Record<string, RightDecision> {
  const { type, owner } = object;
  const known = { ...reader, isAccount: type === "owner" };
  const scopes = new Map(listScopes(actor.permissions ?? {}).map(({ key, scope }) => [key, scope]));
  const reach = (key: string, given: Scope = {}): RightDecision => {
    const scope = { ...scopes.get(key), ...given };
    return explainScope(actor, scope, owner, known);
  };
  const key = (right: "View" | "Edit" | "Delete") =>
    type === "owner" ? `owner.can${right}Owner` : `ownable.${type}.can${right}Object`;

  const view = viewOf(actor, object, reach(key("View"), type === "owner" ? { me: true } : {}), known);
  const seen: Requirement = { ...view, lead: requirementTexts.view };
  const edit = firstFailed(editOf(actor, object, reach(key("Edit"))), seen);
  const rights: Record<string, RightDecision> = {
    view,
    edit,
    delete: firstFailed(deleteOf(actor, object, reach(key("Delete"))), seen),
  };
  const editable: Requirement = {
    ...edit,
    lead: edit.reason.startsWith(requirementTexts.view) ? undefined : requirementTexts.edit,
  };
  if (type === "owner") {
    const own = findRoleReceiptDenial(actor, owner);
    const said = reach("other.canAssignRoles");
    const kept = own?.details && said.allowed ? { allowed: false, ...rootKeepsRole } : said;
    rights["assignRoles"] = firstFailed(kept, editable);
    return rights;
  }
  rights["changeOwner"] = firstFailed(
    reach(`ownable.${type}.canChangeOwner.from`),
    editable,
    receiversOf(actor, type, known),
  );
  if (type === "sensor")
    rights["assign"] = firstFailed(reach("other.canAssignSensors"), editable, {
      ...reach("ownable.measurement.canViewObject"),
      lead: requirementTexts.locations,
    });
  if (type === "measurement") rights["assign"] = firstFailed(reach("other.canAssignSensors"), seen);
  if (type === "artifact") {
    const said = reach("other.canUseArtifact");
    const opened = !said.allowed && can.canUseFirmware(actor, object);
    rights["use"] = firstFailed(
      opened ? { allowed: true, reason: explainSharedFirmware(actor, owner, known) } : said,
      seen,
    );
  }
  return rights;
}

function viewOf(actor: can.Actor, object: AccessObject, said: RightDecision, known: VisibleNames): RightDecision {
  if (object.type !== "artifact" || said.allowed || !can.canViewFirmware(actor, object)) return said;
  return { allowed: true, reason: explainSharedFirmware(actor, object.owner, known) };
}

const ownRole = { allowed: false, reason: "This is the account's own role." };

function editOf(actor: can.Actor, object: AccessObject, said: RightDecision): RightDecision {
  if (object.type !== "role") return said;
  return findRoleEditDenial(actor, object)?.details && actor.permissions !== null ? ownRole : said;
}

function deleteOf(actor: can.Actor, object: AccessObject, said: RightDecision): RightDecision {
  if (object.type === "role")
    return findRoleDeletionDenial(actor, object)?.details && actor.permissions !== null ? ownRole : said;
  if (object.type !== "owner" || !said.allowed) return said;
  if (findAccountDeletionDenial(actor, object.owner, object.hasChildren) === null) return said;
  const isRoot = can.isRoot(object.owner);
  return {
    allowed: false,
    reason: isRoot ? "The root account can't be deleted." : "The account has sub-accounts.",
  };
}

/**
 * Whether there can be an account to hand the object over to. If the object is a sensor, that account must also be in the scope
 * for assigning sensors.
 */
function receiversOf(actor: can.Actor, type: Exclude<AccessType, "owner">, known: VisibleNames): Requirement {
  const sets = [
    can.resolveChangeOwnerScopes(actor, type).to,
    ...(type === "sensor" ? [can.resolveAssignSensorScope(actor)] : []),
  ];
  return { allowed: !sets.some(isEmptySet), reason: explainEmptyScope(known), lead: requirementTexts.receivers };
}
