// Owner change and deletion of many roles: one call each, each refusal with its own sentence (spec 1 §5, §7).
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { deleteRole, listRoles, updateRole } from "@psp/contract/role/role.api.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { type Actor, canDelete, possibleOwnersOf } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Search } from "../address.ts";
import { call } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { guessOwner, toOwner } from "../session/useCan.ts";
import type { Selection } from "../ui/Selection.ts";
import type { BatchRun } from "../ui/batchJob.ts";
import type { BatchFailure } from "../ui/batchRun.ts";
import { roleText } from "./role.text.ts";

/** So many ids fit into one address. */
const perCall = 100;
const perPage = 500;

const rowsOf = <T>(reply: T[] | { objects: T[] }): T[] => (Array.isArray(reply) ? reply : reply.objects);

async function byIds(ids: readonly string[], signal: AbortSignal): Promise<Role[]> {
  const found: Role[] = [];
  for (let from = 0; from < ids.length; from += perCall) {
    const query = { ids: ids.slice(from, from + perCall), limit: String(perCall) };
    found.push(...rowsOf(await call(listRoles, { query, signal })));
  }
  return found;
}

/** The chosen roles as they are now; in query mode everything that matches `filters` but the exceptions. */
async function chosen(selection: Selection, filters: Search, signal: AbortSignal) {
  if (selection.mode === "page") {
    const ids = [...selection.ids];
    return { ids, roles: await byIds(ids, signal) };
  }
  const roles: Role[] = [];
  for (let skip = 0; ; skip += perPage) {
    const query = {
      ...filters,
      withoutOwn: "true",
      sortBy: "_id",
      limit: String(perPage),
      skip: String(skip),
    } as const;
    const page = rowsOf(await call(listRoles, { query, signal }));
    roles.push(...page.filter((role) => !selection.excluded.has(role._id)));
    if (page.length < perPage) return { ids: roles.map((role) => role._id), roles };
  }
}

async function ownersOf(actor: Actor, ids: readonly string[], signal: AbortSignal): Promise<(id: string) => Owner> {
  const wanted = [...new Set(ids)];
  const known = new Map<string, Owner>();
  for (let from = 0; from < wanted.length; from += perCall) {
    const query = { ids: wanted.slice(from, from + perCall), limit: String(perCall), includeDeleted: "true" } as const;
    for (const account of rowsOf(await call(listAccounts, { query, signal }))) known.set(account._id, toOwner(account));
  }
  return (id) => known.get(id) ?? guessOwner(actor, id);
}

/** What is to be done with one role; answers the reason when it may not be. */
type Step = (role: Role) => Promise<string | undefined>;

type Chosen = { actor: Actor; selection: Selection; filters: Search };
type Prepare = (roles: readonly Role[], signal: AbortSignal) => Promise<Step>;

function itemByItem({ selection, filters }: Chosen, prepare: Prepare, afterwards: () => void): BatchRun {
  return async ({ onlyIds, onProgress, signal }) => {
    const { ids, roles } =
      onlyIds === undefined
        ? await chosen(selection, filters, signal)
        : { ids: [...onlyIds], roles: await byIds(onlyIds, signal) };
    const known = new Map(roles.map((role) => [role._id, role]));
    const step = await prepare(roles, signal);
    const fail: BatchFailure[] = [];
    let done = 0;
    for (const id of ids) {
      const role = known.get(id);
      const reason = signal.aborted
        ? roleText.canceled
        : role === undefined
          ? roleText.gone
          : await step(role).catch((error: unknown) => failureText(error));
      if (reason !== undefined) fail.push({ id, errMessage: reason });
      onProgress((done += 1));
    }
    afterwards();
    return { success: ids.length - fail.length, fail };
  };
}

/** Hands every chosen role to `owner`; without one nothing is tried at all. */
export function setOwnerRun(all: Chosen, owner: string | null, afterwards: () => void): BatchRun {
  if (owner === null) return () => Promise.reject(new Error(roleText.noChanges));
  const prepare: Prepare = async (roles, signal) => {
    const ownerOf = await ownersOf(all.actor, [owner, ...roles.map((role) => role.owner._id)], signal);
    return async (role) => {
      if (possibleOwnersOf(all.actor, "role", ownerOf(role.owner._id), [ownerOf(owner)]).length === 0)
        return roleText.wrongOwner(role._id, owner);
      if (role.owner._id !== owner) await call(updateRole, { params: { id: role._id }, body: { owner } });
      return undefined;
    };
  };
  return itemByItem(all, prepare, afterwards);
}

/** Deletes every chosen role that may be deleted. */
export function deleteRun(all: Chosen, afterwards: () => void): BatchRun {
  const prepare: Prepare = async (roles, signal) => {
    const ownerOf = await ownersOf(
      all.actor,
      roles.map((role) => role.owner._id),
      signal,
    );
    return async (role) => {
      if (role._id === all.actor.roleId || !canDelete(all.actor, "role", ownerOf(role.owner._id)))
        return roleText.noDelete;
      await call(deleteRole, { params: { id: role._id } });
      return undefined;
    };
  };
  return itemByItem(all, prepare, afterwards);
}
