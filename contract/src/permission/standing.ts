// How an account relates to the caller: enough for every rule, and nothing more about accounts that they may not see. And
// who may be chosen as an owner, as sets, so that a list can be asked for exactly them.
import { type Actor, assignSensorSet, changeOwnerSets, createSet, editSet } from "./can.ts";
import { type OwnableType, scopesOf } from "./permissions.ts";
import type { AccountSet, Owner } from "./scope.ts";

/**
 * The owner as far as the actor's scopes can tell. Every set of the actor holds it if, and only if, it holds the owner: a
 * scope asks who it is, whether it hangs below the actor, and for roles that it names itself.
 */
export function standingOf(actor: Actor, owner: Owner): Owner {
  const named = scopesOf(actor.permissions ?? {}).some(
    ({ scope }) => owner.roleId !== null && scope?.roles?.includes(owner.roleId),
  );
  return {
    id: owner.id,
    parentAccounts: owner.parentAccounts.includes(actor.id) ? [actor.id] : [],
    roleId: named ? owner.roleId : null,
  };
}

/** What an account can be chosen for: to own something new, to be given something, to have an account below it. */
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

/** Types of which an account can be given something new. */
export type CreatedType = Exclude<OwnableType, "file">;
export const createdTypes: readonly CreatedType[] = ["sensor", "measurement", "artifact", "role"];

const created: Record<CreatedType, OwnerChoiceKind> = {
  sensor: "createSensor",
  measurement: "createMeasurement",
  artifact: "createArtifact",
  role: "createRole",
};
export const choiceToCreate = (type: CreatedType): OwnerChoiceKind => created[type];
const received: Record<CreatedType, OwnerChoiceKind> = {
  sensor: "receiveInitToken",
  measurement: "receiveMeasurement",
  artifact: "receiveArtifact",
  role: "receiveRole",
};
/** Init tokens are of the sensors' type; for sensors themselves it is `receiveSensor`. */
export const choiceToReceive = (type: CreatedType): OwnerChoiceKind => received[type];

const to = (actor: Actor, type: OwnableType) => changeOwnerSets(actor, type).to;
const setsOf: Record<OwnerChoiceKind, (actor: Actor) => AccountSet[]> = {
  createSensor: (actor) => [createSet(actor, "sensor")],
  createMeasurement: (actor) => [createSet(actor, "measurement")],
  createArtifact: (actor) => [createSet(actor, "artifact")],
  createRole: (actor) => [createSet(actor, "role")],
  receiveSensor: (actor) => [to(actor, "sensor"), assignSensorSet(actor)],
  receiveInitToken: (actor) => [to(actor, "sensor")],
  receiveMeasurement: (actor) => [to(actor, "measurement")],
  receiveArtifact: (actor) => [to(actor, "artifact")],
  receiveRole: (actor) => [to(actor, "role")],
  adopt: (actor) => [editSet(actor, "owner")],
};

/** An account can be chosen when every one of these sets holds it; that it can be seen is asked beside them. */
export const choiceSets = (actor: Actor, choice: OwnerChoiceKind): AccountSet[] => setsOf[choice](actor);
