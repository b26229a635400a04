// Actions that the console enables or disables according to rights, with one function per kind of button. A server test compares
// each function with the server's response (PE-02).
import type { RoleId } from "../kit/ids.ts";
import * as can from "./can.ts";
import type { OwnableType, Permissions } from "./permissions.ts";
import type { Holder } from "./reach.ts";
import type { Owner } from "./scope.ts";
import {
  futureChildOf,
  findClaimDenial,
  findInvitationDenial,
  findAccountDeletionDenial,
  findRoleDeletionDenial,
  findRoleEditDenial,
  findDownloadDenial,
  findRoleAssignmentDenial,
  findHandOverDenial,
  findRoleReceiptDenial,
} from "./why-not.ts";

type HeldRole = { id: RoleId; owner: Owner };
type GivenRole = { _id: RoleId; permissions: Permissions };

/**
 * Callers pass the owner of an object as a standing, and a displayed account as its list row. If the row hides the account's role,
 * they take the role from the account's standing.
 */
export function allowedActions(actor: can.Actor) {
  return {
    // Init tokens count as sensors.
    createFor: (type: OwnableType, owner: Owner) => can.canCreateFor(actor, type, owner),
    edit: (type: Exclude<OwnableType, "role">, owner: Owner) => can.canEdit(actor, type, owner),
    delete: (type: Exclude<OwnableType, "role">, owner: Owner) => can.canDelete(actor, type, owner),
    changeOwner: (type: OwnableType, from: Owner, to: Owner) => can.canChangeOwner(actor, type, from, to),

    handOverSensor: (from: Owner, to: Owner) => findHandOverDenial(actor, from, to) === null,
    assignSensor: (owner: Owner) => can.canAssignSensor(actor, owner),
    claim: () => findClaimDenial(actor) === null,
    license: () => can.isRoot(actor),
    useFirmware: (firmware: can.FirmwareRights) => can.canUseFirmware(actor, firmware),
    fetchPackage: (firmware: can.FirmwareRights) => findDownloadDenial(actor, firmware) === null,

    invite: () => findInvitationDenial(actor) === null,
    createAccount: () => can.canCreateAccount(actor),
    /** Reviewing a registration requires the right to edit. */
    editAccount: (account: Owner) => can.canEdit(actor, "owner", account),
    deleteAccount: (account: Owner, hasChildren: boolean) =>
      findAccountDeletionDenial(actor, account, hasChildren) === null,
    /** Whether the actor may make this account the parent of a reviewed sign-up. */
    adopt: (parent: Owner) => can.canEdit(actor, "owner", parent),
    receiveRole: (receiver: Owner) => findRoleReceiptDenial(actor, receiver) === null,
    giveRole: (role: GivenRole, receiver: Holder) =>
      findRoleAssignmentDenial(actor, role.permissions, receiver) === null,
    /** `self` is the actor's own account, with the roles of its ancestors. */
    giveRoleToNew: (role: GivenRole, self: Holder) =>
      findRoleAssignmentDenial(actor, role.permissions, futureChildOf(self, role._id)) === null,

    editRole: (role: HeldRole) => findRoleEditDenial(actor, role) === null,
    deleteRole: (role: HeldRole) => findRoleDeletionDenial(actor, role) === null,
    grant: (wanted: Permissions, before: Permissions) => can.findExceedingScope(actor, wanted, before) === null,
  };
}
export type AllowedActions = ReturnType<typeof allowedActions>;
