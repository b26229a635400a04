// An independent oracle of sensor batches on the permission oracle's trees.
import {
  type AccountNode,
  mayAssignSensor,
  mayChangeOwner,
  mayDo,
  maySeeFirmware,
  mayUseFirmware,
  mayActOnAccount,
} from "@psp/contract/permission/oracle.testing.ts";

export type LocationModel = { id: string; owner: AccountNode };
export type FirmwareModel = { id: string; owner: AccountNode; type: string; childrenCanView: boolean };
export type BatchSensor = {
  id: string;
  owner: AccountNode;
  type: string;
  place: LocationModel | null;
  desired: FirmwareModel | null;
  /** State of an installation that has not started; null if there is none. */
  task: "waiting" | "paused" | null;
  groups: string[];
  claimable: boolean;
  code: string | null;
  newCode?: boolean;
  gone: boolean;
};

export type BatchChange = {
  owner?: AccountNode;
  measID?: LocationModel | null;
  artifact?: FirmwareModel | null;
  groups?: GroupsChange;
  claimable?: boolean;
  /** Without other changes. */
  installation?: "waiting" | "paused";
};
type GroupsChange = string[] | { add: string[] } | { remove: string[] };
export type BatchOrder = {
  asker: AccountNode;
  /** Ids as requested; null selects by `fits`. */
  ids: string[] | null;
  fits: (unit: BatchSensor) => boolean;
  /** Null deletes. */
  change: BatchChange | null;
};

/** Changes between the request and the execution of a batch, by sensor id. */
export type ConcurrentChanges = ReadonlyMap<string, ReadonlySet<keyof BatchChange>>;
export type Forecast = { success: number; fail: { id: string; errMessage: string }[] };

const sentences: Record<number, string> = {
  102: "An invalid argument was given.",
  105: "Not found.",
  301: "No permission to assign the given sensor.",
  302: "No permission to change the owner.",
  304: "No permission to delete the given entity.",
  305: "No permission to edit the given entity.",
  309: "No permission to use the given artifact.",
};
const late = "Changed meanwhile.";

function isThereFor(asker: AccountNode, unit: BatchSensor): boolean {
  return !unit.gone && mayDo(asker, "view", "sensor", unit.owner);
}

/** Returns the error code for the whole call if a reference of the change is not visible, or null. */
function refusal(asker: AccountNode, { owner, measID, artifact }: BatchChange): number | null {
  if (owner && (owner.deleted || !mayActOnAccount(asker, "view", owner))) return 103;
  if (measID && !mayDo(asker, "view", "measurement", measID.owner)) return 105;
  if (artifact && !maySeeFirmware(asker, artifact)) return 105;
  return null;
}

/** The error code for one sensor; 0 if all fields may change. */
function verdict(asker: AccountNode, unit: BatchSensor, change: BatchChange): number {
  if (!mayDo(asker, "edit", "sensor", unit.owner)) return 305;
  const { owner, measID, artifact } = change;
  const getsFirmware = artifact && artifact.id !== unit.desired?.id;
  const handedOver = owner && owner !== unit.owner;
  const moves = measID && (handedOver || measID.id !== unit.place?.id);
  if (handedOver && measID && measID.owner !== owner && !mayDo(owner, "view", "measurement", measID.owner)) return 105;
  if (getsFirmware && artifact.type !== unit.type) return 102;
  if (handedOver && !mayChangeOwner(asker, "sensor", unit.owner, owner)) return 302;
  if (handedOver && !mayAssignSensor(asker, owner)) return 301;
  if (moves && !mayAssignSensor(asker, measID.owner)) return 301;
  if (getsFirmware && !mayUseFirmware(asker, artifact)) return 309;
  if (change.installation && unit.task === null) return 102;
  return change.claimable === true && unit.code === null ? 102 : 0;
}

function groupsAfter(present: readonly string[], change: GroupsChange): string[] {
  if ("add" in change) return [...new Set([...present, ...change.add])];
  return "remove" in change ? present.filter((name) => !change.remove.includes(name)) : [...new Set(change)];
}

export function applyChange(unit: BatchSensor, change: BatchChange | null): void {
  if (change === null)
    return void Object.assign(unit, {
      gone: true,
      task: null,
      place: null,
      claimable: false,
      code: null,
      newCode: false,
    });
  if (change.owner && change.owner !== unit.owner) {
    unit.owner = change.owner;
    unit.claimable = false;
    unit.newCode = unit.code !== null;
    if (unit.place?.owner !== change.owner) unit.place = null;
  }
  if (change.measID !== undefined) unit.place = change.measID;
  if (change.artifact !== undefined && change.artifact?.id !== unit.desired?.id)
    unit.task = change.artifact === null ? null : "waiting";
  if (change.artifact !== undefined) unit.desired = change.artifact;
  if (change.installation) unit.task = change.installation;
  if (change.groups !== undefined) unit.groups = groupsAfter(unit.groups, change.groups);
  if (change.claimable !== undefined) unit.claimable = change.claimable;
}

/** The ids selected at the request, or the refusal of the whole batch. */
export function selectOrRefuse(
  units: readonly BatchSensor[],
  { asker, ids, fits, change }: BatchOrder,
): { refused: number } | string[] {
  const refused = change === null ? null : refusal(asker, change);
  if (refused !== null) return { refused };
  if (ids) return [...new Set(ids)];
  return units.filter((unit) => isThereFor(asker, unit) && fits(unit)).map((unit) => unit.id);
}

export function carryOut(
  units: readonly BatchSensor[],
  { asker, change }: BatchOrder,
  chosen: readonly string[],
  meanwhile: ConcurrentChanges,
): Forecast {
  const fail: { id: string; errMessage: string }[] = [];
  for (const id of chosen) {
    const unit = units.find((one) => one.id === id);
    let code = 0;
    if (!unit || !isThereFor(asker, unit)) code = 105;
    else if (change === null) code = mayDo(asker, "delete", "sensor", unit.owner) ? 0 : 304;
    else code = verdict(asker, unit, change);
    if (code !== 0) fail.push({ id, errMessage: sentences[code] ?? "?" });
    else if (unit && comesTooLate(unit, change, meanwhile.get(id))) fail.push({ id, errMessage: late });
    else if (unit) applyChange(unit, change);
  }
  return { success: chosen.length - fail.length, fail: fail.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

/**
 * Whether a newer change wins. A newer value in any of the fields blocks the whole change, and any newer change blocks
 * a deletion.
 */
function comesTooLate(
  unit: BatchSensor,
  change: BatchChange | null,
  changed: ReadonlySet<keyof BatchChange> | undefined,
): boolean {
  if (changed === undefined) return false;
  if (change === null) return true;
  const touched = fieldsOf(unit, change);
  return [...changed].some((field) => touched.has(field));
}

/** The fields that a change sets; a new owner also sets the location and whether it can be claimed. */
export function fieldsOf(unit: BatchSensor, change: BatchChange): Set<keyof BatchChange> {
  // Pausing concerns the sensor's firmware.
  if (change.installation) return new Set(["artifact"]);
  const named = Object.keys(change) as (keyof BatchChange)[];
  return new Set(change.owner && change.owner !== unit.owner ? [...named, "measID", "claimable"] : named);
}
