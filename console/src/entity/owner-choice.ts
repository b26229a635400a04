// Selectable owners of new and transferred objects, and messages if there are none.
import { listAccounts } from "@psp/contract/account/account.api.ts";
import { clientErrors } from "@psp/contract/errors.ts";
import { resolveChangeOwnerScopes } from "@psp/contract/permission/can.ts";
import { contains, type Owner } from "@psp/contract/permission/scope.ts";
import {
  ownerChoiceForNew,
  ownerChoiceForTransfer,
  type CreatableType,
  type OwnerChoiceKind,
} from "@psp/contract/permission/standing.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { call } from "../api/call.ts";
import { useGo } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { type ToastAction, useToasts } from "../ui/feedback/Toasts.tsx";
import { useUser } from "../api/session/session.tsx";
import { useCan, useMayCreate } from "../api/session/useCan.ts";

export type OwnerChoice = {
  choice?: OwnerChoiceKind;
  /** The current owner, always selectable. */
  keep?: string;
  /** Set if only one account is possible. */
  only?: string;
  preselect?: boolean;
  onNoChoice?: (why: "none" | "notAllowed") => void;
};

/** `none` if no account exists (client code 3), `notAllowed` if none may own a new object (client code 2), else null. */
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
export type Refusals = { none: Refusal; notAllowed: Refusal };

/** Whether the actor may create objects; redirects with a toast otherwise. `refusals` must be stable. */
export function useRequireCreate(type: CreatableType, back: string, refusals: Refusals) {
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
  // The user's own account is preselected if it may own the object.
  const own = can.createFor(type, can.actor) ? { id, name } : null;
  const owners: OwnerChoice = { choice: ownerChoiceForNew(type), preselect: true };
  return { mayCreate: mayCreate === true, owners, own };
}

function useNewAccount(): ToastAction | undefined {
  const can = useCan();
  const go = useGo();
  return useMemo(() => {
    if (!can.viewAnyAccount()) return undefined;
    return { label: "New account", onClick: () => go(paths.newAccount, { query: "dropList" }) };
  }, [can, go]);
}

/** Shows why there is no other owner. `noun` as in "the role's owner". */
export function useNoOwnerToast(noun: string, mayGive: boolean): NonNullable<OwnerChoice["onNoChoice"]> {
  const toasts = useToasts();
  const newAccount = useNewAccount();
  return (why) => {
    if (!mayGive) return toasts.error({ title: `You have no permission to change the ${noun}'s owner.` });
    if (why === "notAllowed") return toasts.error({ title: clientErrors.noAccountAssignable.message });
    toasts.error({ title: clientErrors.noAccount.message, action: newAccount });
  };
}

export function useNewOwnerChoice(type: CreatableType, owner: Owner, noun: string): OwnerChoice {
  const mayGive = contains(resolveChangeOwnerScopes(useCan().actor, type).from, owner);
  const onNoChoice = useNoOwnerToast(noun, mayGive);
  return mayGive
    ? { choice: ownerChoiceForTransfer(type), keep: owner.id, onNoChoice }
    : { only: owner.id, onNoChoice };
}
