// Responds to requests about rights, based on the stubbed session and account lists. Unknown accounts count as children of the
// caller.
import type { Account } from "@psp/contract/account/account.ts";
import type { SessionUser } from "@psp/contract/auth/auth.ts";
import { resolveCreateScope } from "@psp/contract/permission/can.ts";
import { contains } from "@psp/contract/permission/scope.ts";
import {
  selectableOwnerSets,
  creatableTypes,
  type OwnerChoiceKind,
  ownerAsSeenBy,
} from "@psp/contract/permission/standing.ts";
import { toActor } from "../api/session/session-control.ts";
import { toOwner } from "../api/session/useCan.ts";

/** Returns the stubbed body of a GET, or undefined. */
type Lookup = (path: string) => Promise<unknown>;

async function actorOf(get: Lookup) {
  return toActor((await get("/api/auth/user")) as SessionUser);
}
async function accountsOf(get: Lookup): Promise<Account[]> {
  const list = await get("/api/account");
  return Array.isArray(list) ? (list as Account[]) : ((list as { objects?: Account[] } | undefined)?.objects ?? []);
}

export const rightsResponses: Record<string, (get: Lookup, query: URLSearchParams) => Promise<unknown>> = {
  "GET /api/rights/owners": async (get, query) => {
    const actor = await actorOf(get);
    const accounts = await accountsOf(get);
    const found = async (id: string) =>
      accounts.find(({ _id }) => _id === id) ?? ((await get(`/api/account/${id}`)) as Account | undefined);
    return Promise.all(
      query.getAll("ids").map(async (id) => {
        const account = await found(id);
        const parentAccounts = actor.parentAccounts.includes(id) ? [] : [actor.id];
        const owner = account === undefined ? { id, parentAccounts, roleId: null } : toOwner(account);
        const standing = ownerAsSeenBy(actor, owner);
        return { _id: id, parentAccounts: standing.parentAccounts, roleId: standing.roleId, hasChildren: false };
      }),
    );
  },
  "GET /api/rights/creation": async (get) => {
    const actor = await actorOf(get);
    const owners = [...(await accountsOf(get)).map((account) => toOwner(account)), actor];
    const may = creatableTypes.map((type) => [
      type,
      owners.some((owner) => contains(resolveCreateScope(actor, type), owner)),
    ]);
    return Object.fromEntries(may);
  },
};

/** Filters a stubbed account list by the query parameters `choice`, `ids`, `exclude` and `keep`, as the server does. */
export async function filterByChoice(body: unknown, query: URLSearchParams, get: Lookup): Promise<unknown> {
  const choice = query.get("choice") as OwnerChoiceKind | null;
  const ids = query.getAll("ids");
  const exclude = query.getAll("exclude");
  if (choice === null && ids.length === 0 && exclude.length === 0) return body;
  const actor = await actorOf(get);
  const sets = choice === null ? [] : selectableOwnerSets(actor, choice);
  const isAsked = (account: Account) =>
    !exclude.includes(account._id) &&
    (ids.length === 0 || ids.includes(account._id)) &&
    (account._id === query.get("keep") || sets.every((set) => contains(set, toOwner(account))));
  const page = Array.isArray(body) ? { objects: body as Account[] } : (body as { objects: Account[]; total?: number });
  const objects = page.objects.filter(isAsked);
  const beyond = (page.total ?? page.objects.length) - page.objects.length;
  return Array.isArray(body) ? objects : { objects, total: objects.length + beyond };
}
