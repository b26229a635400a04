// Explains in words why a role's scope covers an owner or not, with role, scope and distance. For objects that the reader may not
// view, the words contain neither the name nor the position in the tree (ADR 0008).
import type { RoleId } from "../kit/ids.ts";
import type { Actor } from "./can.ts";
import { contains, type Owner, resolveScope, type Scope } from "./scope.ts";

/** Names that the reader of the explanation may see. Hidden names are null. */
export type VisibleNames = {
  /** Role of the explained account. If its name is hidden, its content is not mentioned either. */
  role: string | null;
  owner: string | null;
  roles: ReadonlyMap<RoleId, string>;
  /** Whether the explained account is the reader's own. */
  isReader: boolean;
  /** Whether the object is an account, which is its own owner. */
  isAccount?: boolean;
};

export type ExplainedAccount = Pick<Actor, "id" | "parentAccounts" | "permissions">;

/** Maximum number of roles listed by name. Other roles are only counted. */
const maxNamedRoles = 5;

const joinWords = (words: readonly string[], by: "and" | "or"): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${by} ${words.at(-1)}`;

/** Returns a text such as "accounts with the role A or B". Hidden roles are only counted. */
function describeRoleHolders(ids: readonly RoleId[], names: VisibleNames["roles"]): string {
  const all = [...new Set(ids)];
  const shown = all.flatMap((id) => names.get(id) ?? []).slice(0, maxNamedRoles);
  const rest = all.length - shown.length;
  if (shown.length === 0) return `accounts with ${rest === 1 ? "a role" : `${rest} roles`} that you can't view`;
  return `accounts with the role ${joinWords(rest === 0 ? shown : [...shown, `${rest} more`], "or")}`;
}

const describeAccount = ({ isReader }: VisibleNames) => (isReader ? "your account" : "the account");

/**
 * Returns the parts of a scope in words, such as "your account", "its sub-accounts", "its parent account" or "accounts with the
 * role A".
 */
function describeScope(scope: Scope | undefined, known: VisibleNames): string[] {
  const level = scope?.relativeAncestorLevel ?? 0;
  const roles = scope?.roles ?? [];
  const relatives = [
    ...(scope?.myChildren ? ["sub-accounts"] : []),
    ...(level >= 1 ? [level === 1 ? "parent account" : `${level} nearest parent accounts`] : []),
  ];
  return [
    ...(scope?.me ? [describeAccount(known)] : []),
    ...relatives.map((what, n) => (scope?.me || n > 0 ? `its ${what}` : `the ${what} of ${describeAccount(known)}`)),
    ...(roles.length > 0 ? [describeRoleHolders(roles, known.roles)] : []),
  ];
}

const levels = (n: number, one: string, more: string) => (n === 1 ? one : `a ${more.replace("#", String(n))}`);

/** Names the owner and its position relative to the explained account. Call it only for owners that the scope covers. */
function describeOwnerPosition(
  subject: ExplainedAccount,
  scope: Scope | undefined,
  owner: Owner,
  known: VisibleNames,
): string {
  const { isAccount = false } = known;
  if (known.owner === null) return `That includes ${describeObject(known)}.`;
  if (scope?.me && owner.id === subject.id) {
    const itself = known.isReader ? "your account" : "the account itself";
    return isAccount ? `This is ${itself}.` : `This object belongs to ${itself}.`;
  }
  const belongs = isAccount ? known.owner : `This object belongs to ${known.owner}`;
  const relative = (words: string) => `${belongs}${isAccount ? " is" : ","} ${words}.`;
  const below = owner.parentAccounts.lastIndexOf(subject.id);
  if (scope?.myChildren && below >= 0)
    return relative(levels(owner.parentAccounts.length - below, "a sub-account", "sub-account # levels below"));
  const above = subject.parentAccounts.length - subject.parentAccounts.lastIndexOf(owner.id);
  if (above <= subject.parentAccounts.length && above <= (scope?.relativeAncestorLevel ?? 0))
    return relative(levels(above, "the parent account", "parent account # levels above"));
  const role = known.roles.get(owner.roleId ?? "");
  return `${belongs}${isAccount ? "" : ", which"} has ${role === undefined ? "a role that you can't view" : `the role ${role}`}.`;
}

function describeRefusal(role: string, parts: readonly string[], known: VisibleNames): string {
  const { owner, isAccount = false } = known;
  const covers = `"${role}" covers ${parts.length === 1 ? "only " : ""}${joinWords(parts, "and")}.`;
  if (owner === null || (isAccount && parts.length === 1))
    return `${covers} That doesn't include ${describeObject(known)}.`;
  if (parts.length === 1) return `${covers} This object belongs to ${owner}.`;
  const none = parts.length === 2 ? "neither" : "none of these";
  return `${covers} ${isAccount ? `${owner} is ${none}.` : `This object belongs to ${owner}, which is ${none}.`}`;
}

/** Describes the object by its owner, or without a name if the reader may not view the owner. */
function describeObject({ owner, isAccount = false }: VisibleNames): string {
  if (owner === null) return isAccount ? "this account" : "the owner of this object";
  return isAccount ? owner : `this object, which belongs to ${owner}`;
}

function describeHiddenRole(allowed: boolean, place: () => string, known: VisibleNames): string {
  if (allowed && known.owner !== null) return `${hiddenRoleReason} ${place()}`;
  return `${hiddenRoleReason} It ${allowed ? "covers" : "doesn't cover"} ${describeObject(known)}.`;
}

/** Makes the same decision as `contains`, and gives the reason. */
export function explainScope(
  subject: ExplainedAccount,
  scope: Scope | undefined,
  owner: Owner,
  known: VisibleNames,
): { allowed: boolean; reason: string } {
  if (subject.permissions === null) return { allowed: false, reason: noRoleReason };
  const allowed = contains(resolveScope(subject, scope), owner);
  const place = () => describeOwnerPosition(subject, scope, owner, known);
  if (known.role === null) return { allowed, reason: describeHiddenRole(allowed, place, known) };
  const parts = describeScope(scope, known);
  if (parts.length === 0) return { allowed, reason: explainEmptyScope(known) };
  if (!allowed) return { allowed, reason: describeRefusal(known.role, parts, known) };
  return { allowed, reason: `"${known.role}" covers ${joinWords(parts, "and")}. ${place()}` };
}

export const noRoleReason = "The account has no role.";
const hiddenRoleReason = "The account has a role that you can't view.";

export function explainEmptyScope({ role }: Pick<VisibleNames, "role">): string {
  return role === null
    ? `${hiddenRoleReason} It doesn't include this permission.`
    : `"${role}" doesn't include this permission.`;
}

/** Returns the reason for firmware that its owner shares with all sub-accounts, with the distance to the owner. */
export function explainSharedFirmware(subject: ExplainedAccount, owner: Owner, known: VisibleNames): string {
  const above = subject.parentAccounts.length - subject.parentAccounts.lastIndexOf(owner.id);
  const who =
    known.owner === null
      ? "The owner"
      : `${known.owner}, ${levels(above, "the parent account", "parent account # levels above")},`;
  return `${who} shares this firmware with all its sub-accounts.`;
}
