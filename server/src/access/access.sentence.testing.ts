// Builds the expected sentence about one scope from facts that the oracle finds by walking the account tree.
import type { AccessType } from "@psp/contract/permission/access.ts";
import {
  type AccountNode,
  findReachFact,
  type PermissionsDoc,
  rightsOf,
  type ScopeDoc,
} from "@psp/contract/permission/oracle.testing.ts";

export type ScopeQuestion = {
  asker: AccountNode;
  owner: AccountNode;
  type: AccessType;
  /** The role in question if `type` is "role". */
  roleId: string;
  opened: boolean;
  hasChildren: boolean;
  seesRole: boolean;
  seesOwner: boolean;
  isReader: boolean;
  /** Names of the roles that the reader may view, by role id. */
  roles: Map<string, string>;
};
export const nameOf = (id: string) => `N${id.slice(-4)}`;

export function findScope(doc: PermissionsDoc, key: string): ScopeDoc | undefined {
  let at: unknown = doc;
  for (const part of key.split(".")) at = (at as Record<string, unknown> | undefined)?.[part];
  return at as ScopeDoc | undefined;
}

function joined(words: string[], by: string): string {
  const copy = [...words];
  const last = copy.pop() ?? "";
  return copy.length > 0 ? [copy.join(", "), last].join(` ${by} `) : last;
}

function roleWords(ids: string[], roles: Map<string, string>): string {
  const unique = ids.filter((id, n) => ids.indexOf(id) === n);
  const seen = unique.filter((id) => roles.has(id)).map((id) => roles.get(id) ?? "");
  const others = unique.length - seen.length;
  if (seen.length > 0) return `accounts with the role ${joined(others > 0 ? [...seen, `${others} more`] : seen, "or")}`;
  return others === 1
    ? "accounts with a role that you can't view"
    : `accounts with ${others} roles that you can't view`;
}

/** Phrases for the parts of a scope, such as "the sub-accounts of your account". */
function partWords({ isReader, roles }: ScopeQuestion, scope: ScopeDoc | undefined): string[] {
  const own = isReader ? "your account" : "the account";
  const level = scope?.relativeAncestorLevel ?? 0;
  const words = scope?.me === true ? [own] : [];
  const relative = (what: string) => words.push(words.length > 0 ? `its ${what}` : `the ${what} of ${own}`);
  if (scope?.myChildren === true) relative("sub-accounts");
  if (level > 0) relative(level === 1 ? "parent account" : `${level} nearest parent accounts`);
  if ((scope?.roles ?? []).length > 0) words.push(roleWords(scope?.roles ?? [], roles));
  return words;
}

export const formatSteps = (n: number, part: string) =>
  part === "below"
    ? n === 1
      ? "a sub-account"
      : `a sub-account ${n} levels below`
    : n === 1
      ? "the parent account"
      : `a parent account ${n} levels above`;

/** Names the object's owner. Call it only for owners that the scope covers. */
function placeWords({ asker, owner, isReader, type, roles }: ScopeQuestion, scope: ScopeDoc | undefined): string {
  const fact = findReachFact(asker, scope, owner);
  const name = nameOf(owner.id);
  if (fact.part === "own") {
    const own = isReader ? "your account" : "the account itself";
    return type === "owner" ? `This is ${own}.` : `This object belongs to ${own}.`;
  }
  if (fact.part === "role") {
    const role = roles.has(fact.role.id) ? `the role ${nameOf(fact.role.id)}` : "a role that you can't view";
    return type === "owner" ? `${name} has ${role}.` : `This object belongs to ${name}, which has ${role}.`;
  }
  const place = fact.part === "none" ? "" : formatSteps(fact.steps, fact.part);
  return type === "owner" ? `${name} is ${place}.` : `This object belongs to ${name}, ${place}.`;
}

export function buildSentence(question: ScopeQuestion, scope: ScopeDoc | undefined): string {
  const { asker, owner, seesRole, seesOwner, type } = question;
  if (rightsOf(asker) === null) return "The account has no role.";
  const isAccount = type === "owner";
  const covered = findReachFact(asker, scope, owner).part !== "none";
  const name = nameOf(owner.id);
  const hidden = isAccount ? "this account" : "the owner of this object";
  const object = !seesOwner ? hidden : isAccount ? name : `this object, which belongs to ${name}`;
  if (!seesRole) {
    const role = "The account has a role that you can't view.";
    if (covered && seesOwner) return `${role} ${placeWords(question, scope)}`;
    return `${role} It ${covered ? "covers" : "doesn't cover"} ${object}.`;
  }
  const parts = partWords(question, scope);
  const role = `"${nameOf(asker.role?.id ?? "")}"`;
  if (parts.length === 0) return `${role} doesn't include this permission.`;
  const covers = `${role} covers ${!covered && parts.length === 1 ? "only " : ""}${joined(parts, "and")}.`;
  if (covered) return `${covers} ${seesOwner ? placeWords(question, scope) : `That includes ${object}.`}`;
  if (!seesOwner || (isAccount && parts.length === 1)) return `${covers} That doesn't include ${object}.`;
  if (parts.length === 1) return `${covers} This object belongs to ${name}.`;
  const none = parts.length === 2 ? "neither" : "none of these";
  return `${covers} ${isAccount ? `${name} is ${none}` : `This object belongs to ${name}, which is ${none}`}.`;
}
