// Explains why a scope reaches an owner or not, with role, scope and distance. Objects the reader may not view are not named
// and not located in the tree (ADR 0008).
import type { RoleId } from "../kit/ids.ts";
import type { Actor } from "./can.ts";
import { contains, type Owner, resolveScope, type Scope } from "./scope.ts";

/** What the reader may know; null for names they may not view. */
export type Known = {
  /** The role of the account in question. If its name is hidden, its content is not mentioned either. */
  role: string | null;
  owner: string | null;
  roles: ReadonlyMap<RoleId, string>;
};

export type Subject = Pick<Actor, "id" | "parentAccounts" | "permissions">;

/** Maximum number of roles listed by name; the rest is counted. */
const named = 5;

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
function andList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** "accounts with role A or B"; hidden roles are only counted. */
function holdersOf(ids: readonly RoleId[], names: Known["roles"]): string {
  const all = [...new Set(ids)];
  const shown = all.flatMap((id) => names.get(id) ?? []).slice(0, named);
  const rest = all.length - shown.length;
  if (shown.length === 0) return `accounts with ${rest === 1 ? "a role" : `${rest} roles`} that you can't view`;
  return `accounts with role ${orList(rest === 0 ? shown : [...shown, `${rest} more`])}`;
}

/** The parts of a scope: "the own account", "all below", "1 above", "accounts with role A". */
export function describeScope(scope: Scope | undefined, names: Known["roles"]): string[] {
  const level = scope?.relativeAncestorLevel ?? 0;
  const roles = scope?.roles ?? [];
  return [
    ...(scope?.me ? ["the own account"] : []),
    ...(scope?.myChildren ? ["all below"] : []),
    ...(level >= 1 ? [`${level} above`] : []),
    ...(roles.length > 0 ? [holdersOf(roles, names)] : []),
  ];
}

/** The owner's position relative to the account if the scope covers it by position; otherwise its role. */
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

/** Same decision as `contains`, with the reason. */
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
  const parts = describeScope(scope, known.roles);
  if (parts.length === 0) return { allowed, reason: explainEmptyScope(known) };
  const reach = `Role ${known.role} reaches ${andList(parts)}; ${who}`;
  return { allowed, reason: `${reach} ${allowed ? placeOf(subject, scope, owner, known) : "is none of them"}.` };
}

export const noRole = "The account has no role.";
const hiddenRole = "The account has a role that you can't view";

/** For a right that the role grants for no account. */
export function explainEmptyScope({ role }: Pick<Known, "role">): string {
  // cspell:disable-next-line
  return role === null ? `${hiddenRole}; it does not give this.` : `Role ${role} reaches nobody.`;
}

/** For firmware that its owner shared with accounts below; states the distance to the owner. */
export function explainSharedFirmware(subject: Subject, owner: Owner, known: Known): string {
  const above = subject.parentAccounts.length - subject.parentAccounts.lastIndexOf(owner.id);
  const opened = "The firmware is opened to all accounts below its owner";
  return known.owner === null ? `${opened}.` : `${opened}; ${ownerInWords(known)} is ${above} above.`;
}
