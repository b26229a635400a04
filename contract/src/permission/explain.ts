// Why a scope reaches an owner or does not, as a sentence with role, scope and distance. Whatever the reader may not view
// has no name here and no place in the tree (ADR 0008).
import type { RoleId } from "../kit/ids.ts";
import type { Actor } from "./can.ts";
import { contains, type Owner, resolveScope, type Scope } from "./scope.ts";

/** What the reader of a sentence may know; null is a name out of their view. */
export type Known = {
  /** The role of the account that is asked about. Without its name, what it contains is not said either. */
  role: string | null;
  owner: string | null;
  /** Names of roles, as far as they are in view. */
  roles: ReadonlyMap<RoleId, string>;
};

export type Subject = Pick<Actor, "id" | "parentAccounts" | "permissions">;

/** This many roles of a scope are named; the rest is a number. */
const named = 5;

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
function andList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** "accounts with role A or B"; roles out of view are counted. */
function holdersOf(ids: readonly RoleId[], names: Known["roles"]): string {
  const all = [...new Set(ids)];
  const shown = all.flatMap((id) => names.get(id) ?? []).slice(0, named);
  const rest = all.length - shown.length;
  if (shown.length === 0) return `accounts with ${rest === 1 ? "a role" : `${rest} roles`} that you can't view`;
  return `accounts with role ${orList(rest === 0 ? shown : [...shown, `${rest} more`])}`;
}

/** Whom a scope means, part by part: "the own account", "all below", "1 above", "accounts with role A". */
export function partsInWords(scope: Scope | undefined, names: Known["roles"]): string[] {
  const level = scope?.relativeAncestorLevel ?? 0;
  const roles = scope?.roles ?? [];
  return [
    ...(scope?.me ? ["the own account"] : []),
    ...(scope?.myChildren ? ["all below"] : []),
    ...(level >= 1 ? [`${level} above`] : []),
    ...(roles.length > 0 ? [holdersOf(roles, names)] : []),
  ];
}

/** Where the owner stands for the account, and only if the scope reaches it there; else the role by which it is reached. */
function placeOf(subject: Subject, scope: Scope | undefined, owner: Owner, known: Known): string {
  if (known.owner === null) return "is one of them";
  if (scope?.me && owner.id === subject.id) return "is the own account";
  const below = owner.parentAccounts.lastIndexOf(subject.id);
  if (scope?.myChildren && below >= 0) return `is ${owner.parentAccounts.length - below} below`;
  const above = subject.parentAccounts.length - subject.parentAccounts.lastIndexOf(owner.id);
  if (above <= subject.parentAccounts.length && above <= (scope?.relativeAncestorLevel ?? 0))
    return `is ${above} above`;
  const role = known.roles.get(owner.roleId ?? "");
  return role === undefined ? "holds a role that you can't view" : `holds role ${role}`;
}

const ownerInWords = ({ owner }: Known) => (owner === null ? "the owner" : `owner ${owner}`);

/** Whether the scope reaches the owner, and why; the decision is the one of `contains`. */
export function explainScope(
  subject: Subject,
  scope: Scope | undefined,
  owner: Owner,
  known: Known,
): { allowed: boolean; reason: string } {
  if (subject.permissions === null) return { allowed: false, reason: noRole };
  const allowed = contains(resolveScope(subject, scope), owner);
  const who = ownerInWords(known);
  if (known.role === null)
    return {
      allowed,
      reason: allowed
        ? known.owner === null
          ? `${hiddenRole}; it reaches the owner.`
          : `${hiddenRole}; ${who} ${placeOf(subject, scope, owner, known)}.`
        : `${hiddenRole}; it does not reach ${who}.`,
    };
  const parts = partsInWords(scope, known.roles);
  if (parts.length === 0) return { allowed, reason: emptyScope(known) };
  const reach = `Role ${known.role} reaches ${andList(parts)}; ${who}`;
  return { allowed, reason: `${reach} ${allowed ? placeOf(subject, scope, owner, known) : "is none of them"}.` };
}

export const noRole = "The account has no role.";
const hiddenRole = "The account has a role that you can't view";

/** Of a right that the role gives for no account at all. */
export function emptyScope({ role }: Pick<Known, "role">): string {
  // cspell:disable-next-line
  return role === null ? `${hiddenRole}; it does not give this.` : `Role ${role} reaches nobody.`;
}

/** Firmware that its owner has opened to the accounts below: how far above the account the owner is. */
export function explainOpened(subject: Subject, owner: Owner, known: Known): string {
  const above = subject.parentAccounts.length - subject.parentAccounts.lastIndexOf(owner.id);
  const opened = "The firmware is opened to all accounts below its owner";
  return known.owner === null ? `${opened}.` : `${opened}; ${ownerInWords(known)} is ${above} above.`;
}
