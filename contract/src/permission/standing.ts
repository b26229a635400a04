// Creates standings, which contain only the facts about an account that the permission rules need, and determines which owners
// can be selected.
import {
  type Actor,
  resolveAssignSensorScope,
  resolveChangeOwnerScopes,
  resolveCreateScope,
  resolveEditScope,
} from "./can.ts";
import type { AccountId, RoleId } from "../kit/ids.ts";
import { type OwnableType, listScopes } from "./permissions.ts";
import { asHolder, type Holder } from "./reach.ts";
import type { AccountSet, Owner } from "./scope.ts";

/** The roles that any scope of the actor names. */
export const rolesNamedBy = (actor: Actor) =>
  new Set(listScopes(actor.permissions ?? {}).flatMap(({ scope }) => scope?.roles ?? []));

/**
 * Reduces an owner to the facts that the actor's scopes can distinguish: its id, whether it is below the actor, and its role if a
 * scope names it. Every scope of the actor covers the reduced owner if and only if it covers the real one.
 */
export function ownerAsSeenBy(actor: Actor, owner: Owner): Owner {
  return {
    id: owner.id,
    parentAccounts: owner.parentAccounts.includes(actor.id) ? [actor.id] : [],
    roleId: owner.roleId !== null && rolesNamedBy(actor).has(owner.roleId) ? owner.roleId : null,
  };
}

/**
 * The roles of an account's ancestors, in the order of `parentAccounts`. A role is null unless a scope of the actor names it; the list is
 * empty if all are.
 */
export function ancestorRolesAsSeenBy(
  actor: Actor,
  { parentAccounts }: Owner,
  roleOf: ReadonlyMap<AccountId, RoleId>,
): (RoleId | null)[] {
  const named = rolesNamedBy(actor);
  const roles = parentAccounts.map((id) => {
    const role = roleOf.get(id);
    return role !== undefined && named.has(role) ? role : null;
  });
  return roles.some((role) => role !== null) ? roles : [];
}

/** Adds the ancestors to an account that the actor may view, with the roles from `ancestorRolesAsSeenBy`. */
export function holderAsSeen<O extends Owner>(owner: O, ancestorRoles: readonly (RoleId | null)[]): O & Holder {
  return asHolder(owner, new Map(owner.parentAccounts.map((id, n) => [id, ancestorRoles[n] ?? null])));
}

/** Purposes for which the user selects an account: as owner of new objects, as receiver of objects, or as parent. */
export const ownerChoiceKinds = [
  "createSensor",
  "createMeasurement",
  "createArtifact",
  "createRole",
  "receiveSensor",
  "receiveInitToken",
  "receiveMeasurement",
  "receiveArtifact",
  "receiveRole",
  "adopt",
  "invite",
] as const;
export type OwnerChoiceKind = (typeof ownerChoiceKinds)[number];

export type CreatableType = Exclude<OwnableType, "file">;
export const creatableTypes: readonly CreatableType[] = ["sensor", "measurement", "artifact", "role"];

const createChoices: Record<CreatableType, OwnerChoiceKind> = {
  sensor: "createSensor",
  measurement: "createMeasurement",
  artifact: "createArtifact",
  role: "createRole",
};
export const ownerChoiceForNew = (type: CreatableType): OwnerChoiceKind => createChoices[type];
const transferChoices: Record<CreatableType, OwnerChoiceKind> = {
  sensor: "receiveInitToken",
  measurement: "receiveMeasurement",
  artifact: "receiveArtifact",
  role: "receiveRole",
};
/** Returns the kind for init tokens if the type is `sensor`. For sensors themselves, use `receiveSensor`. */
export const ownerChoiceForTransfer = (type: CreatableType): OwnerChoiceKind => transferChoices[type];

const receiverSet = (actor: Actor, type: OwnableType) => resolveChangeOwnerScopes(actor, type).to;
const setsOf: Record<OwnerChoiceKind, (actor: Actor) => AccountSet[]> = {
  createSensor: (actor) => [resolveCreateScope(actor, "sensor")],
  createMeasurement: (actor) => [resolveCreateScope(actor, "measurement")],
  createArtifact: (actor) => [resolveCreateScope(actor, "artifact")],
  createRole: (actor) => [resolveCreateScope(actor, "role")],
  receiveSensor: (actor) => [receiverSet(actor, "sensor"), resolveAssignSensorScope(actor)],
  receiveInitToken: (actor) => [receiverSet(actor, "sensor")],
  receiveMeasurement: (actor) => [receiverSet(actor, "measurement")],
  receiveArtifact: (actor) => [receiverSet(actor, "artifact")],
  receiveRole: (actor) => [receiverSet(actor, "role")],
  adopt: (actor) => [resolveEditScope(actor, "owner")],
  invite: (actor) => [
    resolveEditScope(actor, "owner"),
    resolveCreateScope(actor, "role"),
    { ids: [], descendantsOf: actor.id, withRole: [] },
  ],
};

/** An account can be selected if all of these sets contain it. Visibility must be checked separately. */
export const selectableOwnerSets = (actor: Actor, choice: OwnerChoiceKind): AccountSet[] => setsOf[choice](actor);
