// What the signed-in account may do: the same functions that the server asks, bound to this actor, and how owners relate to
// it as the server knows them (PE-02).
import { findCreation } from "@psp/contract/account/rights.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { AccountId } from "@psp/contract/kit/ids.ts";
import * as can from "@psp/contract/permission/can.ts";
import { offersFor } from "@psp/contract/permission/offers.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import { type AccountSet, isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import type { CreatedType } from "@psp/contract/permission/standing.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../api/call.ts";
import { useActor } from "./session.tsx";
import { fetchStandings, ownerFrom } from "./standings.ts";

/** An account that is shown, as its own owner. Which role it holds may be hidden from its row, but not from its standing. */
export function toOwner(account: Pick<Account, "_id" | "parentAccounts" | "role">, standing?: Owner): Owner {
  return {
    id: account._id,
    parentAccounts: account.parentAccounts,
    roleId: account.role?._id ?? standing?.roleId ?? null,
  };
}

/** Somebody nothing is known of yet: no scope reaches them, so nothing is offered too early. */
const unknownOwner = (id: AccountId): Owner => ({ id, parentAccounts: [], roleId: null });

/** Where the question failed: a guess that the server will judge. Itself, an ancestor, or else somebody below. */
function guessOwner(actor: can.Actor, id: AccountId): Owner {
  const place = actor.parentAccounts.indexOf(id);
  if (place >= 0) return { id, parentAccounts: actor.parentAccounts.slice(0, place), roleId: null };
  return { id, parentAccounts: [...actor.parentAccounts, actor.id], roleId: null };
}

/** The rules bound to the actor. Owners come from `useOwners`. */
export function useCan() {
  const actor = useActor();
  return useMemo(
    () => ({
      actor,
      viewType: (type: OwnableType) => can.canViewType(actor, type),
      viewAnyAccount: () => can.canViewAnyAccount(actor),
      ...offersFor(actor),
    }),
    [actor],
  );
}
export type Can = ReturnType<typeof useCan>;

/** Accounts by id, for asking rights about them; also those that the actor may not see. */
export function useStandings(ids: readonly AccountId[]) {
  const actor = useActor();
  const key = [...new Set(ids)].toSorted().join(" ");
  const wanted = useMemo(() => (key === "" ? [] : key.split(" ")), [key]);
  const { data, isPending, isPlaceholderData, isError } = useQuery({
    // A "total" is asked again whenever some account changes.
    queryKey: ["account", "total", "standing", wanted],
    queryFn: () => fetchStandings(wanted),
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return useMemo(() => {
    const known = new Map((data ?? []).map((one) => [one._id, one]));
    /** How the account relates to the actor. */
    const ownerOf = (id: AccountId): Owner => {
      if (id === actor.id) return { id, parentAccounts: actor.parentAccounts, roleId: actor.roleId };
      const standing = known.get(id);
      if (standing !== undefined) return ownerFrom(standing);
      return isError ? guessOwner(actor, id) : unknownOwner(id);
    };
    return {
      ownerOf,
      /** Living accounts hang below it, so that it can't be deleted. */
      hasChildren: (id: AccountId) => known.get(id)?.hasChildren ?? false,
      /** False while they are looked up. */
      ready: wanted.length === 0 || (!isPending && !isPlaceholderData),
    };
  }, [data, isPending, isPlaceholderData, isError, wanted.length, actor]);
}

/** Owners of things by id; oneself is known without asking. */
export function useOwners(ids: readonly AccountId[]) {
  const actor = useActor();
  return useStandings(ids.filter((id) => id !== actor.id));
}

/** Is it plain without asking whether anybody is in this set whom the actor sees? */
function isPlain(set: AccountSet, actor: can.Actor): boolean | undefined {
  if (isEmptySet(set)) return false;
  return set.ids.includes(actor.id) ? true : undefined;
}

/**
 * May the actor make one of these for anybody who exists? Undefined while that is being found out; true where it can't be:
 * the server will judge.
 */
export function useMayCreate(type: CreatedType): boolean | undefined {
  const actor = useActor();
  const plain = useMemo(() => isPlain(can.createSet(actor, type), actor), [actor, type]);
  const { data, isFetched } = useQuery({
    queryKey: ["account", "total", "creation"],
    queryFn: ({ signal }) => call(findCreation, { signal }),
    enabled: plain === undefined,
    staleTime: 300_000,
  });
  if (plain !== undefined) return plain;
  return data === undefined ? (isFetched ? true : undefined) : data[type];
}
