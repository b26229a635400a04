// Creates standings, which contain only the facts about an account that the permission rules need, and determines which owners
// can be selected.
import { type Actor, assignSensorSet, changeOwnerSets, createSet, editSet } from "./can.ts";
import { type OwnableType, listScopes } from "./permissions.ts";
import type { AccountSet, Owner } from "./scope.ts";

/**
 * Reduces an owner to the facts that the actor's scopes can distinguish: its id, whether it is below the actor, and its role if a
 * scope names it. Every scope of the actor covers the reduced owner if and only if it covers the real one.
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

/** Purposes for which the user selects an account: as owner of new objects, as receiver of objects, or as parent. */
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
/** Here the type `sensor` means init tokens. Sensors use `receiveSensor`. */
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

/** An account can be selected if all of these sets contain it. Visibility must be checked separately. */
export const selectableOwnerSets = (actor: Actor, choice: OwnerChoiceKind): AccountSet[] => setsOf[choice](actor);
