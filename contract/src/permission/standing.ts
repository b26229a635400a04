// Standings: the part of an account that permission rules need, without revealing hidden facts; and the sets of selectable owners.
import { type Actor, assignSensorSet, changeOwnerSets, createSet, editSet } from "./can.ts";
import { type OwnableType, listScopes } from "./permissions.ts";
import type { AccountSet, Owner } from "./scope.ts";

/**
 * Reduces an owner to what the actor's scopes can distinguish: its id, whether it is below the actor, and roles named in scopes.
 * Every scope of the actor covers the result if and only if it covers the owner.
 */
export function ownerAsSeenBy(actor: Actor, owner: Owner): Owner {
  const named = listScopes(actor.permissions ?? {}).some(
    ({ scope }) => owner.roleId !== null && scope?.roles?.includes(owner.roleId),
  );
  return {
    id: owner.id,
    parentAccounts: owner.parentAccounts.includes(actor.id) ? [actor.id] : [],
    roleId: named ? owner.roleId : null,
  };
}

/** What an account can be selected for: owning new objects, receiving objects, or becoming a parent. */
export const ownerChoices = [
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
] as const;
export type OwnerChoiceKind = (typeof ownerChoices)[number];

export type CreatedType = Exclude<OwnableType, "file">;
export const createdTypes: readonly CreatedType[] = ["sensor", "measurement", "artifact", "role"];

const createChoices: Record<CreatedType, OwnerChoiceKind> = {
  sensor: "createSensor",
  measurement: "createMeasurement",
  artifact: "createArtifact",
  role: "createRole",
};
export const ownerChoiceForNew = (type: CreatedType): OwnerChoiceKind => createChoices[type];
const transferChoices: Record<CreatedType, OwnerChoiceKind> = {
  sensor: "receiveInitToken",
  measurement: "receiveMeasurement",
  artifact: "receiveArtifact",
  role: "receiveRole",
};
/** The type `sensor` means init tokens here; sensors themselves use `receiveSensor`. */
export const ownerChoiceForTransfer = (type: CreatedType): OwnerChoiceKind => transferChoices[type];

const receiverSet = (actor: Actor, type: OwnableType) => changeOwnerSets(actor, type).to;
const setsOf: Record<OwnerChoiceKind, (actor: Actor) => AccountSet[]> = {
  createSensor: (actor) => [createSet(actor, "sensor")],
  createMeasurement: (actor) => [createSet(actor, "measurement")],
  createArtifact: (actor) => [createSet(actor, "artifact")],
  createRole: (actor) => [createSet(actor, "role")],
  receiveSensor: (actor) => [receiverSet(actor, "sensor"), assignSensorSet(actor)],
  receiveInitToken: (actor) => [receiverSet(actor, "sensor")],
  receiveMeasurement: (actor) => [receiverSet(actor, "measurement")],
  receiveArtifact: (actor) => [receiverSet(actor, "artifact")],
  receiveRole: (actor) => [receiverSet(actor, "role")],
  adopt: (actor) => [editSet(actor, "owner")],
};

/** An account can be selected if all of these sets contain it; visibility is checked separately. */
export const selectableOwnerSets = (actor: Actor, choice: OwnerChoiceKind): AccountSet[] => setsOf[choice](actor);
