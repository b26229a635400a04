// Whether the person can make accounts at all: if not, the dialog closes with the reason (spec 1 §2, §8, client codes 5 and 6).
import { serverErrors } from "@psp/contract/errors.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { useCallback, useEffect } from "react";
import { useGo } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan } from "../../session/useCan.ts";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { type Assignable, type RoleRef, useAssignable } from "./AccountFields.tsx";
import { accountText } from "../account.text.ts";

type CreationGate = {
  /** The dialog may be shown. */
  open: boolean;
  allow: (role: Role) => boolean;
  assignable: Assignable;
  /** The only role that can be given. */
  only: RoleRef | null;
};

/** Asks for the roles that can be given to a new account. */
export function useCreationGate(): CreationGate {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const allow = useCallback((one: Role) => !one.isDeleted && can.giveRoleToNew(one), [can]);
  const assignable = useAssignable(allow);
  const mayCreate = can.createAccount();
  const reason = mayCreate ? whyNone(assignable) : serverErrors[303].message;
  const withShortcut = mayCreate && assignable.noRole && can.viewType("role");
  useEffect(() => {
    if (reason === null) return;
    toasts.error({
      title: accountText.createFailed,
      text: reason,
      key: accountText.createFailed,
      ...(withShortcut ? { action: { label: accountText.newRole, onClick: () => go(paths.newRole) } } : {}),
    });
    go(paths.accounts, { replace: true });
  }, [reason, withShortcut, toasts, go]);
  const { only } = assignable;
  return {
    open: assignable.ready && reason === null,
    allow,
    assignable,
    only: only === undefined ? null : { id: only._id, name: only.name },
  };
}

function whyNone({ ready, noRole, none }: Assignable): string | null {
  if (!ready) return null;
  if (noRole) return accountText.createNoRole;
  return none ? accountText.createNoAssignable : null;
}
