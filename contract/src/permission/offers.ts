// Everything that the console offers or greys out by rights, bound to one actor: one function for each kind of button. A
// grid on the server drives each of them against what the server answers (PE-02).
import type { RoleId } from "../kit/ids.ts";
import * as can from "./can.ts";
import type { OwnableType, Permissions } from "./permissions.ts";
import type { Owner } from "./scope.ts";
import {
  placeOfNew,
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

/** Owners are known by their standing, accounts that are shown by their row with it. */
export function offersFor(actor: can.Actor) {
  return {
    // Things with an owner; init tokens are asked about as sensors.
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
    /** Reviewing is editing. */
    editAccount: (account: Owner) => can.canEdit(actor, "owner", account),
    deleteAccount: (account: Owner, hasChildren: boolean) => whyNotDeleteAccount(actor, account, hasChildren) === null,
    /** Below whom a sign-up may be hung. */
    adopt: (parent: Owner) => can.canEdit(actor, "owner", parent),
    receiveRole: (receiver: Owner) => whyNotReceiveRole(actor, receiver) === null,
    giveRole: (role: GivenRole, receiver: Owner) => whyNotGiveRole(actor, role.permissions, receiver) === null,
    giveRoleToNew: (role: GivenRole) => whyNotGiveRole(actor, role.permissions, placeOfNew(actor, role._id)) === null,

    editRole: (role: HeldRole) => whyNotEditRole(actor, role) === null,
    deleteRole: (role: HeldRole) => whyNotDeleteRole(actor, role) === null,
    grant: (wanted: Permissions, before: Permissions) => can.tooPowerful(actor, wanted, before) === null,
  };
}
export type Offers = ReturnType<typeof offersFor>;
