// What the signed-in account may do: the same functions that the server asks, bound to this actor (PE-02).
import { listAccounts } from "@psp/contract/account/account.api.ts";
import type { Account } from "@psp/contract/account/account.ts";
import type { AccountId } from "@psp/contract/kit/ids.ts";
import * as can from "@psp/contract/permission/can.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import { type AccountSet, contains, isEmptySet, type Owner } from "@psp/contract/permission/scope.ts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../api/call.ts";
import { useActor } from "./session.tsx";

export function toOwner(account: Pick<Account, "_id" | "parentAccounts" | "role">): Owner {
  return { id: account._id, parentAccounts: account.parentAccounts, roleId: account.role?._id ?? null };
}

/**
 * An owner whose account can't be seen, but whose object can: itself, an ancestor, or else (scopes know nothing more)
 * somebody below.
 */
export function guessOwner(actor: can.Actor, id: AccountId): Owner {
  const place = actor.parentAccounts.indexOf(id);
  if (id === actor.id) return { id, parentAccounts: actor.parentAccounts, roleId: actor.roleId };
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
      edit: (type: can.Visible, owner: Owner) => can.canEdit(actor, type, owner),
      delete: (type: can.Visible, owner: Owner) => can.canDelete(actor, type, owner),
      createFor: (type: OwnableType, owner: Owner) => can.canCreateFor(actor, type, owner),
      changeOwner: (type: OwnableType, from: Owner, to: Owner) => can.canChangeOwner(actor, type, from, to),
      assignSensor: (owner: Owner) => can.canAssignSensor(actor, owner),
      useFirmware: (firmware: can.FirmwareRights) => can.canUseFirmware(actor, firmware),
      isRoot: () => can.isRoot(actor),
    }),
    [actor],
  );
}
export type Can = ReturnType<typeof useCan>;

/** Owners by id, for asking rights about what they own. Ids that can't be looked up are guessed. */
export function useOwners(ids: readonly AccountId[]): { ownerOf: (id: AccountId) => Owner; ready: boolean } {
  const actor = useActor();
  const wanted = useMemo(
    () =>
      [...new Set(ids)]
        .filter((id) => id !== actor.id)
        .toSorted()
        .slice(0, 500),
    [ids, actor.id],
  );
  const { data, isPending } = useQuery({
    queryKey: ["account", "owners", wanted],
    queryFn: ({ signal }) =>
      call(listAccounts, { query: { ids: wanted, limit: "500", includeDeleted: "true" }, signal }),
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  });
  return useMemo(() => {
    const list = data === undefined ? [] : Array.isArray(data) ? data : data.objects;
    const known = new Map(list.map((account) => [account._id, toOwner(account)]));
    return { ownerOf: (id) => known.get(id) ?? guessOwner(actor, id), ready: wanted.length === 0 || !isPending };
  }, [data, isPending, wanted.length, actor]);
}

/** Does this set hold anybody at all who exists? Undefined while that is being found out; true where it can't be: the server will judge. */
export function useHoldsAnybody(set: AccountSet): boolean | undefined {
  const certain = set.ids.length > 0;
  const impossible = isEmptySet(set);
  const { data, isFetched } = useQuery({
    queryKey: ["account", "first", 500],
    queryFn: ({ signal }) => call(listAccounts, { query: { limit: "500", sortBy: "name" }, signal }),
    enabled: !certain && !impossible,
    staleTime: 300_000,
  });
  if (certain) return true;
  if (impossible) return false;
  if (data === undefined) return isFetched ? true : undefined;
  return (Array.isArray(data) ? data : data.objects).some((account) => contains(set, toOwner(account)));
}

/** May the actor make one of these for anybody who exists? Undefined while that is being found out. */
export function useMayCreate(type: OwnableType): boolean | undefined {
  const actor = useActor();
  return useHoldsAnybody(useMemo(() => can.createSet(actor, type), [actor, type]));
}
