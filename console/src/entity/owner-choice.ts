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

/** Owners are accounts that the user may create the type for, or accounts that the user may edit. */
type NewOwners = CreatableType | "editable";
/** A new parent must be editable, too. */
const editableAccounts: OwnerChoiceKind = "adopt";

type Refusal = { title: string; text?: string };
export type Refusals = { none: Refusal; notAllowed: Refusal };

/** Whether the actor may create objects; redirects with a toast otherwise. `refusals` must be stable. */
export function useRequireCreate(type: NewOwners, back: string, refusals: Refusals, isForOwnAccount = false) {
  const go = useGo();
  const toasts = useToasts();
  const newAccount = useNewAccount();
  const may = useMayCreate(type);
  const mayCreate = isForOwnAccount || may;
  const missing = useMissingOwner(mayCreate);
  useEffect(() => {
    if (missing === null) return;
    toasts.error({ ...refusals[missing], action: missing === "none" ? newAccount : undefined });
    go(back, { replace: true });
  }, [missing, refusals, newAccount, toasts, go, back]);
  const { _id: id, name } = useUser();
  const can = useCan();
  // The user's own account is preselected if it may own the object.
  const mayOwn = type === "editable" ? can.editAccount(can.actor) : can.createFor(type, can.actor);
  const own = mayOwn || isForOwnAccount ? { id, name } : null;
  const owners: OwnerChoice = {
    choice: type === "editable" ? editableAccounts : ownerChoiceForNew(type),
    ...(isForOwnAccount ? { keep: id } : {}),
    preselect: true,
  };
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

export function useNewOwnerChoice(type: NewOwners, owner: Owner, noun: string): OwnerChoice {
  const { actor, editAccount } = useCan();
  const mayGive =
    type === "editable" ? editAccount(owner) : contains(resolveChangeOwnerScopes(actor, type).from, owner);
  const onNoChoice = useNoOwnerToast(noun, mayGive);
  return mayGive
    ? { choice: type === "editable" ? editableAccounts : ownerChoiceForTransfer(type), keep: owner.id, onNoChoice }
    : { only: owner.id, onNoChoice };
}
