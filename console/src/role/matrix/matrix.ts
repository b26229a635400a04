// What a role gives as a matrix of acts and nouns, and how each of it compares with the role of the person who looks at it.
import { type Actor, isRoot } from "@psp/contract/permission/can.ts";
import { isWithin, type Scope } from "@psp/contract/permission/scope.ts";
import { ownView, type Rights, rightTabs, toRights } from "../permission.form.ts";

/** More than one's own role in any part; less in some and more in none; or the very same. */
export type Difference = "more" | "same" | "less";

/** The key of a scope, or of the right to create accounts. */
export const createAccountsKey = "owner.canCreateOwner";

/** Nouns in the order of the tabs; each has the type of its rights. */
export const matrixNouns = ["owner", "role", "sensor", "measurement", "artifact", "file"] as const;
type Noun = (typeof matrixNouns)[number];

export const matrixActs = ["view", "edit", "delete", "create", "from", "to", "assign"] as const;
type Act = (typeof matrixActs)[number];

const ownable: Record<Exclude<Act, "assign">, string> = {
  view: "canViewObject",
  edit: "canEditObject",
  delete: "canDeleteObject",
  create: "canCreateObjectFor",
  from: "canChangeOwner.from",
  to: "canChangeOwner.to",
};
const ofAccounts: Partial<Record<Act, string>> = {
  view: ownView,
  edit: "owner.canEditOwner",
  delete: "owner.canDeleteOwner",
  create: createAccountsKey,
};
const assigned: Partial<Record<Noun, string>> = {
  role: "other.canAssignRoles",
  sensor: "other.canAssignSensors",
  artifact: "other.canUseArtifact",
};

/** The right behind a cell; undefined where there is none. */
export function keyOfCell(act: Act, noun: Noun): string | undefined {
  if (act === "assign") return assigned[noun];
  return noun === "owner" ? ofAccounts[act] : `ownable.${noun}.${ownable[act]}`;
}

export function tabOf(key: string): string {
  return rightTabs.find(({ groups }) => groups.some((group) => group.key === key))?.id ?? rightTabs[0]?.id ?? "";
}

/** The right to create accounts as a scope, so that all cells compare alike. */
const granted = (on: boolean): Scope => (on ? { me: true } : {});

export const scopeOfCell = (rights: Rights, key: string): Scope =>
  key === createAccountsKey ? granted(rights.createAccounts) : (rights.scopes[key] ?? {});

/** How a right of the role compares with the same one of one's own. Nothing is more than what root has. */
export function differenceOf(actor: Actor, rights: Rights, key: string): Difference {
  const own = scopeOfCell(toRights(actor.permissions ?? {}), key);
  const scope = scopeOfCell(rights, key);
  if (!isRoot(actor) && !isWithin(scope, own)) return "more";
  return isWithin(own, scope) ? "same" : "less";
}
