// What a batch over sensors should do, told sentence by sentence on the permission oracle's trees; nothing of the product in it.
import type { AccountNode } from "@psp/contract/permission/oracle.testing.ts";
import {
  mayAssignSensor,
  mayChangeOwner,
  mayDo,
  maySeeFirmware,
  mayUseFirmware,
  mayWithAccount,
} from "@psp/contract/permission/oracle.testing.ts";

export type Place = { id: string; owner: AccountNode };
export type Package = { id: string; owner: AccountNode; type: string; childrenCanView: boolean };
export type Unit = {
  id: string;
  owner: AccountNode;
  type: string;
  place: Place | null;
  wish: Package | null;
  groups: string[];
  claimable: boolean;
  code: string | null;
  gone: boolean;
};

export type Change = {
  owner?: AccountNode;
  measID?: Place | null;
  artifact?: Package | null;
  groups?: string[];
  claimable?: boolean;
};
export type Order = {
  asker: AccountNode;
  /** Named one by one, as typed; else everything that fits. */
  ids: string[] | null;
  fits: (unit: Unit) => boolean;
  /** Null deletes. */
  change: Change | null;
};

export type Forecast = { refused: number } | { success: number; fail: { id: string; errMessage: string }[] };

const sentences: Record<number, string> = {
  102: "An invalid argument was given.",
  105: "Not found.",
  301: "No permission to assign the given sensor.",
  302: "No permission to change the owner.",
  304: "No permission to delete the given entity.",
  305: "No permission to edit the given entity.",
  309: "No permission to use the given artifact.",
};

function isThereFor(asker: AccountNode, unit: Unit): boolean {
  return !unit.gone && mayDo(asker, "view", "sensor", unit.owner);
}

/** What the change points at has to be there for the asker, or the whole call is refused. */
function refusal(asker: AccountNode, { owner, measID, artifact }: Change): number | null {
  if (owner && (owner.deleted || !mayWithAccount(asker, "view", owner))) return 103;
  if (measID && !mayDo(asker, "view", "measurement", measID.owner)) return 105;
  if (artifact && !maySeeFirmware(asker, artifact)) return 105;
  return null;
}

/** The number of the sentence that one sensor earns, 0 when all of its fields may change. */
function verdict(asker: AccountNode, unit: Unit, change: Change): number {
  if (!mayDo(asker, "edit", "sensor", unit.owner)) return 305;
  const { owner, measID, artifact } = change;
  const getsFirmware = artifact && artifact.id !== unit.wish?.id;
  const moves = measID && measID.id !== unit.place?.id;
  const handedOver = owner && owner !== unit.owner;
  if (getsFirmware && artifact.type !== unit.type) return 102;
  if (handedOver && !mayChangeOwner(asker, "sensor", unit.owner, owner)) return 302;
  if (handedOver && !mayAssignSensor(asker, owner)) return 301;
  if (moves && !mayAssignSensor(asker, measID.owner)) return 301;
  if (getsFirmware && !mayUseFirmware(asker, artifact)) return 309;
  return change.claimable === true && unit.code === null ? 102 : 0;
}

function apply(unit: Unit, change: Change): void {
  if (change.owner) unit.owner = change.owner;
  if (change.measID !== undefined) unit.place = change.measID;
  if (change.artifact !== undefined) unit.wish = change.artifact;
  if (change.groups !== undefined) unit.groups = [...new Set(change.groups)];
  if (change.claimable !== undefined) unit.claimable = change.claimable;
}

/** Foretells the answer, and does to the units what should be done. */
export function carryOut(units: readonly Unit[], { asker, ids, fits, change }: Order): Forecast {
  const refused = change === null ? null : refusal(asker, change);
  if (refused !== null) return { refused };
  const chosen = ids
    ? [...new Set(ids)]
    : units.filter((unit) => isThereFor(asker, unit) && fits(unit)).map((unit) => unit.id);
  const fail: { id: string; errMessage: string }[] = [];
  for (const id of chosen) {
    const unit = units.find((one) => one.id === id);
    let code = 0;
    if (!unit || !isThereFor(asker, unit)) code = 105;
    else if (change === null) code = mayDo(asker, "delete", "sensor", unit.owner) ? 0 : 304;
    else code = verdict(asker, unit, change);
    if (code !== 0) fail.push({ id, errMessage: sentences[code] ?? "?" });
    else if (unit && change) apply(unit, change);
    else if (unit) Object.assign(unit, { gone: true, place: null, claimable: false, code: null });
  }
  return { success: chosen.length - fail.length, fail: fail.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}
