// Arranges permissions in a matrix of actions and nouns, and compares them with the user's own role.
import { type Actor, isRoot } from "@psp/contract/permission/can.ts";
import { accountCreation, accountView } from "@psp/contract/permission/permissions.ts";
import { isGrantable, isWithin, type Scope } from "@psp/contract/permission/scope.ts";
import { type Rights, rightTabs, toRights } from "../permission.form.ts";

/** `more` if any part exceeds the user's own role. */
export type RightDifference = "more" | "same" | "less";

/** Key of the right to create accounts. Unlike all other keys, it is not the key of a scope. */
export const accountCreationKey = accountCreation;

export const matrixNouns = ["owner", "role", "sensor", "measurement", "artifact", "file"] as const;
type Noun = (typeof matrixNouns)[number];

export const matrixActions = ["view", "edit", "delete", "create", "from", "to", "assign"] as const;
type Act = (typeof matrixActions)[number];

const ownable: Record<Exclude<Act, "assign">, string> = {
  view: "canViewObject",
  edit: "canEditObject",
  delete: "canDeleteObject",
  create: "canCreateObjectFor",
  from: "canChangeOwner.from",
  to: "canChangeOwner.to",
};
const ofAccounts: Partial<Record<Act, string>> = {
  view: accountView,
  edit: "owner.canEditOwner",
  delete: "owner.canDeleteOwner",
  create: accountCreationKey,
};
const assigned: Partial<Record<Noun, string>> = {
  role: "other.canAssignRoles",
  sensor: "other.canAssignSensors",
  artifact: "other.canUseArtifact",
};

export function keyOfCell(act: Act, noun: Noun): string | undefined {
  if (act === "assign") return assigned[noun];
  return noun === "owner" ? ofAccounts[act] : `ownable.${noun}.${ownable[act]}`;
}

export function tabOf(key: string): string {
  return rightTabs.find(({ groups }) => groups.some((group) => group.key === key))?.id ?? rightTabs[0]?.id ?? "";
}

/** The right to create accounts as a scope, so that it is compared like the others. */
const granted = (on: boolean): Scope => (on ? { me: true } : {});

export const scopeOfCell = (rights: Rights, key: string): Scope =>
  key === accountCreationKey ? granted(rights.createAccounts) : (rights.scopes[key] ?? {});

/** Compares a right with the user's own. Nothing exceeds root. */
export function compareWithOwn(actor: Actor, rights: Rights, key: string): RightDifference {
  const own = scopeOfCell(toRights(actor.permissions ?? {}), key);
  const scope = scopeOfCell(rights, key);
  if (!isRoot(actor) && !isGrantable(scope, own)) return "more";
  return isWithin(own, scope) ? "same" : "less";
}
