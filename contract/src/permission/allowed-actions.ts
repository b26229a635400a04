// The actions the console offers or disables by rights, one function per kind of button.
// A server test compares each with the server's response (PE-02).
import type { RoleId } from "../kit/ids.ts";
import * as can from "./can.ts";
import type { OwnableType, Permissions } from "./permissions.ts";
import type { Owner } from "./scope.ts";
import {
  newChildOwner,
  whyNotClaim,
  whyNotDeleteAccount,
  whyNotDeleteRole,
  whyNotEditRole,
  whyNotFetchPackage,
  whyNotGiveRole,
  whyNotHandOverSensor,
  whyNotReceiveRole,
} from "./why-not.ts";

type HeldRole = { id: RoleId; owner: Owner };
type GivenRole = { _id: RoleId; permissions: Permissions };

/** Owners are given as standings; displayed accounts as their row with standing. */
export function allowedActions(actor: can.Actor) {
  return {
    // Init tokens count as sensors.
    createFor: (type: OwnableType, owner: Owner) => can.canCreateFor(actor, type, owner),
    edit: (type: Exclude<OwnableType, "role">, owner: Owner) => can.canEdit(actor, type, owner),
    delete: (type: Exclude<OwnableType, "role">, owner: Owner) => can.canDelete(actor, type, owner),
    changeOwner: (type: OwnableType, from: Owner, to: Owner) => can.canChangeOwner(actor, type, from, to),

    handOverSensor: (from: Owner, to: Owner) => whyNotHandOverSensor(actor, from, to) === null,
    assignSensor: (owner: Owner) => can.canAssignSensor(actor, owner),
    claim: () => whyNotClaim(actor) === null,
    license: () => can.isRoot(actor),
    useFirmware: (firmware: can.FirmwareRights) => can.canUseFirmware(actor, firmware),
    fetchPackage: (firmware: can.FirmwareRights) => whyNotFetchPackage(actor, firmware) === null,

    createAccount: () => can.canCreateAccount(actor),
    /** Reviewing a registration requires the right to edit. */
    editAccount: (account: Owner) => can.canEdit(actor, "owner", account),
    deleteAccount: (account: Owner, hasChildren: boolean) => whyNotDeleteAccount(actor, account, hasChildren) === null,
    /** Parent of a reviewed sign-up. */
    adopt: (parent: Owner) => can.canEdit(actor, "owner", parent),
    receiveRole: (receiver: Owner) => whyNotReceiveRole(actor, receiver) === null,
    giveRole: (role: GivenRole, receiver: Owner) => whyNotGiveRole(actor, role.permissions, receiver) === null,
    giveRoleToNew: (role: GivenRole) =>
      whyNotGiveRole(actor, role.permissions, newChildOwner(actor, role._id)) === null,

    editRole: (role: HeldRole) => whyNotEditRole(actor, role) === null,
    deleteRole: (role: HeldRole) => whyNotDeleteRole(actor, role) === null,
    grant: (wanted: Permissions, before: Permissions) => can.findExceedingScope(actor, wanted, before) === null,
  };
}
export type AllowedActions = ReturnType<typeof allowedActions>;
