// Checks the permissions of the signed-in account by the server's rules, and loads standings of owners (PE-02).
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { findCreatableTypes } from "@psp/contract/account/rights.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { AccountId } from "@psp/contract/kit/ids.ts";
import * as can from "@psp/contract/permission/can.ts";
import { allowedActions } from "@psp/contract/permission/allowed-actions.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import { type AccountSet, isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import type { Holder } from "@psp/contract/permission/reach.ts";
import { type CreatableType, holderAsSeen, rolesNamedBy } from "@psp/contract/permission/standing.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../call.ts";
import { toListResult } from "../listed.ts";
import { useActor } from "./session.tsx";
import { fetchStandings, ownerFromStanding } from "./standings.ts";

/** The account as an owner, to check rights on the account itself. If `account` lacks its role, the standing provides it. */
export function toOwner(account: Pick<Account, "_id" | "parentAccounts" | "role">, standing?: Owner): Owner {
  return {
    id: account._id,
    parentAccounts: account.parentAccounts,
    roleId: account.role?._id ?? standing?.roleId ?? null,
  };
}

/** Placeholder while loading. No scope covers it, so that nothing is offered too early. */
const unknownOwner = (id: AccountId): Owner => ({ id, parentAccounts: [], roleId: null });

/** Fallback if loading fails. Treats every account that is not an ancestor as a sub-account, because the server decides anyway. */
function guessOwner(actor: can.Actor, id: AccountId): Owner {
  const place = actor.parentAccounts.indexOf(id);
  if (place >= 0) return { id, parentAccounts: actor.parentAccounts.slice(0, place), roleId: null };
  return { id, parentAccounts: [...actor.parentAccounts, actor.id], roleId: null };
}

/** Checks the user's rights. Owners come from `useOwners`. */
export function useCan() {
  const actor = useActor();
  return useMemo(
    () => ({
      actor,
      viewType: (type: OwnableType) => can.canViewType(actor, type),
      viewAnyAccount: () => can.canViewAnyAccount(actor),
      ...allowedActions(actor),
    }),
    [actor],
  );
}
export type Can = ReturnType<typeof useCan>;

/** Standings by account id, including accounts that the user may not view. */
export function useStandings(ids: readonly AccountId[]) {
  const actor = useActor();
  const key = [...new Set(ids)].toSorted().join(" ");
  const wanted = useMemo(() => (key === "" ? [] : key.split(" ")), [key]);
  const { data, isPending, isPlaceholderData, isError } = useQuery({
    // The key contains "total", so that changes of accounts invalidate it.
    queryKey: ["account", "total", "standing", wanted],
    queryFn: () => fetchStandings(wanted),
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return useMemo(() => {
    const known = new Map((data ?? []).map((one) => [one._id, one]));
    const ownerOf = (id: AccountId): Owner => {
      if (id === actor.id) return { id, parentAccounts: actor.parentAccounts, roleId: actor.roleId };
      const standing = known.get(id);
      if (standing !== undefined) return ownerFromStanding(standing);
      return isError ? guessOwner(actor, id) : unknownOwner(id);
    };
    return {
      ownerOf,
      /** Adds the ancestors to an account that the user may view. */
      holderOf: <O extends Owner>(owner: O) => holderAsSeen(owner, known.get(owner.id)?.ancestorRoles ?? []),
      hasChildren: (id: AccountId) => known.get(id)?.hasChildren ?? false,
      ready: wanted.length === 0 || (!isPending && !isPlaceholderData),
    };
  }, [data, isPending, isPlaceholderData, isError, wanted.length, actor]);
}

/** Standings of owners by id. The user's own account needs no request. */
export function useOwners(ids: readonly AccountId[]) {
  const actor = useActor();
  return useStandings(ids.filter((id) => id !== actor.id));
}

/** The user's own account with its ancestors. Needs a request only if the user's role names roles. */
export function useSelf(): { self: Holder; ready: boolean } {
  const actor = useActor();
  const { holderOf, ready } = useStandings(rolesNamedBy(actor).size > 0 ? [actor.id] : []);
  return useMemo(() => ({ self: holderOf(actor), ready }), [actor, holderOf, ready]);
}

/** Whether the set contains an existing account; undefined if only the server can tell. */
function isPlain(set: AccountSet, actor: can.Actor): boolean | undefined {
  if (isEmptySet(set)) return false;
  return set.ids.includes(actor.id) ? true : undefined;
}

/**
 * Whether the actor may create an object for any existing account, or edit any. Undefined while loading; true if it can't be determined, because
 * the server decides.
 */
export function useMayCreate(type: CreatableType | "editable"): boolean | undefined {
  const actor = useActor();
  const plain = useMemo(() => {
    return isPlain(
      type === "editable" ? can.resolveEditScope(actor, "owner") : can.resolveCreateScope(actor, type),
      actor,
    );
  }, [actor, type]);
  const creatable = useQuery({
    queryKey: ["account", "total", "creation"],
    queryFn: ({ signal }) => call(findCreatableTypes, { signal }),
    enabled: plain === undefined && type !== "editable",
    staleTime: 300_000,
  });
  const editable = useQuery({
    queryKey: ["account", "total", "editable"],
    queryFn: async ({ signal }) => {
      const found = await call(listAccounts, { query: { choice: "adopt", limit: "1" }, signal });
      return toListResult<Account>(found).objects.length > 0;
    },
    enabled: plain === undefined && type === "editable",
    staleTime: 300_000,
  });
  if (plain !== undefined) return plain;
  const { isFetched } = type === "editable" ? editable : creatable;
  const may = type === "editable" ? editable.data : creatable.data?.[type];
  return may ?? (isFetched ? true : undefined);
}
