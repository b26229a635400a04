// Who may own what is made or given away, and the toast that says why there is none.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { clientErrors } from "@psp/contract/errors.ts";
import { changeOwnerSets } from "@psp/contract/permission/can.ts";
import { contains, type Owner } from "@psp/contract/permission/scope.ts";
import {
  choiceToCreate,
  choiceToReceive,
  type CreatedType,
  type OwnerChoiceKind,
} from "@psp/contract/permission/standing.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { call } from "../api/call.ts";
import { useGo } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { type ToastAction, useToasts } from "../ui/feedback/Toasts.tsx";
import { useUser } from "../session/session.tsx";
import { useCan, useMayCreate } from "../session/useCan.ts";

/** What the select of an owner offers, and what it does when it holds no other choice. */
export type OwnerChoice = {
  choice?: OwnerChoiceKind;
  /** Stays choosable: the present owner. */
  keep?: string;
  /** Where no other account may have it. */
  only?: string;
  /** Chooses the only one by itself. */
  preselect?: boolean;
  onNoChoice?: (why: "none" | "notAllowed") => void;
};

/** Is there no account at all (3), or none that one of these may be made for (2)? Null while there may be one. */
function useMissingOwner(mayCreate: boolean | undefined): "none" | "notAllowed" | null {
  const { data: anybody } = useQuery({
    queryKey: ["account", "any"],
    queryFn: async ({ signal }) => {
      const found = await call(listAccounts, { query: { limit: "1" }, signal });
      return (Array.isArray(found) ? found : found.objects).length > 0;
    },
    enabled: mayCreate === false,
  });
  if (mayCreate !== false || anybody === undefined) return null;
  return anybody ? "notAllowed" : "none";
}

type Refusal = { title: string; text?: string };
/** What is said where there is no account at all, and where none is allowed. */
export type Refusals = { none: Refusal; notAllowed: Refusal };

/**
 * May the actor make one of these for anybody? Who may not is taken back, with the reason in a toast. Keep `refusals`
 * stable.
 */
export function useCreation(type: CreatedType, back: string, refusals: Refusals) {
  const go = useGo();
  const toasts = useToasts();
  const newAccount = useNewAccount();
  const mayCreate = useMayCreate(type);
  const missing = useMissingOwner(mayCreate);
  useEffect(() => {
    if (missing === null) return;
    toasts.error({ ...refusals[missing], action: missing === "none" ? newAccount : undefined });
    go(back, { replace: true });
  }, [missing, refusals, newAccount, toasts, go, back]);
  const { _id: id, name } = useUser();
  const can = useCan();
  // Most of what people make is their own.
  const own = can.createFor(type, can.actor) ? { id, name } : null;
  const owners: OwnerChoice = { choice: choiceToCreate(type), preselect: true };
  return { mayCreate: mayCreate === true, owners, own };
}

/** The way out of having no account, for those who may look at accounts. */
function useNewAccount(): ToastAction | undefined {
  const can = useCan();
  const go = useGo();
  return useMemo(() => {
    if (!can.viewAnyAccount()) return undefined;
    return { label: "New account", onClick: () => go(paths.newAccount, { query: "dropList" }) };
  }, [can, go]);
}

/** Says in a toast why there is no other owner to choose. `noun` as in "the role's owner". */
export function useNoOwner(noun: string, mayGive: boolean): NonNullable<OwnerChoice["onNoChoice"]> {
  const toasts = useToasts();
  const newAccount = useNewAccount();
  return (why) => {
    if (!mayGive) return toasts.error({ title: `You have no permission to change the ${noun}'s owner.` });
    if (why === "notAllowed") return toasts.error({ title: clientErrors.noAccountAssignable.message });
    toasts.error({ title: clientErrors.noAccount.message, action: newAccount });
  };
}

/** Who may own something that exists from now on; a toast says why there is no other choice. */
export function useNewOwners(type: CreatedType, owner: Owner, noun: string): OwnerChoice {
  const mayGive = contains(changeOwnerSets(useCan().actor, type).from, owner);
  const onNoChoice = useNoOwner(noun, mayGive);
  return mayGive ? { choice: choiceToReceive(type), keep: owner.id, onNoChoice } : { only: owner.id, onNoChoice };
}
