// Fields of the account dialogs with their validation, and hooks that load the account and the assignable roles
// (docs/rules/accounts.md#account-dialogs).
import type { Account } from "@psp/contract/account/account.ts";
import { serverErrors } from "@psp/contract/errors.ts";
import type { Holder } from "@psp/contract/permission/reach.ts";
import type { Role } from "@psp/contract/role/role.ts";
import { type ReactNode, useCallback, useEffect } from "react";
import { useGo, useParam } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { CheckedField } from "../../entity/CheckedField.tsx";
import { useLoadedObject } from "../../entity/loaded.ts";
import { validateName } from "../../entity/name-and-owner.tsx";
import { type NamedRef, toReferenceFieldProps } from "../../entity/reference/ReferenceSelect.tsx";
import { RoleSelect, useRoleChoices } from "../../entity/reference/RoleSelect.tsx";
import { toOwner, useCan, useSelf, useStandings } from "../../api/session/useCan.ts";
import { LoadingBar } from "../../ui/feedback/LoadingBar.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { accountQueries as entity } from "../account.queries.ts";
import { accountText as text } from "../account.text.ts";

export function AccountLoader({ children }: { children: (account: Account, owner: Holder) => ReactNode }) {
  const account = useLoadedObject(entity.useOne(useParam("id")), text.updateFailed, paths.accounts);
  const { ownerOf, holderOf, ready } = useStandings(account === undefined ? [] : [account._id]);
  if (account === undefined || !ready) return <LoadingBar />;
  return children(account, holderOf(toOwner(account, ownerOf(account._id))));
}

/** Returns a function that checks whether the actor may give a role to this account. Stable between renders. */
export function useCanAssignRole(receiver: Holder): (role: Role) => boolean {
  const can = useCan();
  const standing = JSON.stringify(receiver);
  return useCallback((one) => !one.isDeleted && can.giveRole(one, JSON.parse(standing) as Holder), [can, standing]);
}

/** `allow` checks whether the actor may give a role to a new sub-account. Stable between renders. */
export function useCanAssignRoleToNew(): { allow: (role: Role) => boolean; ready: boolean } {
  const can = useCan();
  const { self, ready } = useSelf();
  const allow = useCallback((one: Role) => !one.isDeleted && can.giveRoleToNew(one, self), [can, self]);
  return { allow, ready };
}

export type RoleAvailability = ReturnType<typeof useRoleAvailability>;

export const noAssignableRole: RoleAvailability = { ready: true, noRole: false, none: true, only: undefined };

/** Whether any role exists and can be assigned. `only` is set if exactly one role can be assigned. `known`: whether `allow` can tell. */
export function useRoleAvailability(allow: (role: Role) => boolean, known = true) {
  const { data, isFetched } = useRoleChoices();
  // The roles are loading or failed to load. The select reports the error.
  if (data === undefined || !known) return { ready: known && isFetched, noRole: false, none: false, only: undefined };
  // Only the first 500 roles are loaded. If there are more, `none` and `only` are unknown, and the select searches by name.
  const complete = data.total <= data.objects.length;
  const givable = data.objects.filter(allow);
  return {
    ready: true,
    noRole: data.total === 0,
    none: complete && givable.length === 0,
    only: complete && givable.length === 1 ? givable[0] : undefined,
  };
}

function whyNone({ ready, noRole, none }: RoleAvailability): string | null {
  if (!ready) return null;
  if (noRole) return text.createNoRole;
  return none ? text.createNoAssignable : null;
}

/**
 * Redirects users who can't create accounts, with the reason in a toast (client codes 5 and 6). `open`: whether to show the
 * dialog.
 */
export function useCreateAccountGuard() {
  const can = useCan();
  const go = useGo();
  const toasts = useToasts();
  const { allow, ready } = useCanAssignRoleToNew();
  const availability = useRoleAvailability(allow, ready);
  const mayCreate = can.createAccount();
  const reason = mayCreate ? whyNone(availability) : serverErrors.noCreate.message;
  const withShortcut = mayCreate && availability.noRole && can.viewType("role");
  useEffect(() => {
    if (reason === null) return;
    const action = withShortcut ? { label: text.newRole, onClick: () => go(paths.newRole) } : undefined;
    toasts.error({ title: text.createFailed, text: reason, key: text.createFailed, action });
    go(paths.accounts, { replace: true });
  }, [reason, withShortcut, toasts, go]);
  const only: NamedRef | null = availability.only ? { id: availability.only._id, name: availability.only.name } : null;
  return { open: availability.ready && reason === null, allow, availability, only };
}

export const nameError = (name: string) => validateName(name, text.nameRequired);

type NameFieldProps = {
  value: string;
  onChange: (name: string) => void;
  submitted: boolean;
  readOnly?: boolean;
};

export const NameField = ({ readOnly = false, ...field }: NameFieldProps) => (
  <CheckedField {...field} label={text.name} error={nameError(field.value)} slotProps={{ input: { readOnly } }} />
);

type RoleFieldProps = {
  value: NamedRef | null;
  onChange: (role: NamedRef | null) => void;
  allow: (role: Role) => boolean;
  availability: RoleAvailability;
  submitted: boolean;
  readOnly?: boolean;
  disabled?: boolean;
  hint?: string | undefined;
};

export function RoleField(props: RoleFieldProps) {
  const { value, onChange, allow, availability, submitted, readOnly = false, disabled = false, hint } = props;
  const { none, only } = availability;
  const isOnly = only !== undefined && (value === null || value.id === only._id);
  const why = none ? text.cantAssignAny : isOnly ? text.cantAssignOther : undefined;
  return (
    <RoleSelect
      label={text.role}
      {...toReferenceFieldProps(value, onChange)}
      allow={allow}
      error={submitted && value === null ? text.roleRequired : undefined}
      helperText={readOnly ? hint : (why ?? hint)}
      readOnly={readOnly || none}
      disabled={disabled}
      clearable={false}
      required
      opens
    />
  );
}
