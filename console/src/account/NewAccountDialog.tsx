// Creating an account: name, role and the address that the invitation goes to (spec 1 §2, §5).
import { emailSchema } from "@psp/contract/account/account.ts";
import { serverErrors } from "@psp/contract/errors.ts";
import { canCreateAccount } from "@psp/contract/permission/can.ts";
import type { Role } from "@psp/contract/role/role.ts";
import TextField from "@mui/material/TextField";
import { useCallback, useEffect, useState } from "react";
import { useFailure } from "../api/useFailure.ts";
import { useGo } from "../navigation.tsx";
import { paths } from "../paths.ts";
import { useCan } from "../session/useCan.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { useToasts } from "../ui/Toasts.tsx";
import { NameField, nameError, RoleField, type RoleRef, useAssignable } from "./AccountFields.tsx";
import { useCreateAccount } from "./account.queries.ts";
import { isGivable, placeOfNew } from "./account.rules.ts";
import { accountText } from "./account.text.ts";

export function NewAccountDialog() {
  const can = useCan();
  const go = useGo();
  const fail = useFailure();
  const toasts = useToasts();
  const create = useCreateAccount();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<RoleRef | null>(null);
  const [email, setEmail] = useState("");
  const [leftEmail, setLeftEmail] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const allow = useCallback((one: Role) => isGivable(can.actor, one, placeOfNew(can.actor)), [can.actor]);
  const assignable = useAssignable(allow);
  const role =
    chosen ?? (assignable.only === undefined ? null : { id: assignable.only._id, name: assignable.only.name });
  const mayCreate = canCreateAccount(can.actor);
  const seesRoles = can.viewType("role");
  const reason = !mayCreate
    ? serverErrors[303].message
    : !assignable.ready
      ? null
      : assignable.noRole
        ? accountText.createNoRole
        : assignable.none
          ? accountText.createNoAssignable
          : null;
  const withShortcut = mayCreate && assignable.noRole && seesRoles;
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

  const parsed = emailSchema.safeParse(email);
  const emailError = parsed.success
    ? undefined
    : email.trim() === ""
      ? accountText.emailRequired
      : accountText.emailInvalid;
  const shownEmailError = submitted || leftEmail ? emailError : undefined;
  const submit = async () => {
    setSubmitted(true);
    if (nameError(name) !== undefined || role === null || !parsed.success) return;
    try {
      await create.mutateAsync({ name: name.trim(), role: role.id, email: parsed.data });
      toasts.success(accountText.invited(parsed.data));
      go(paths.accounts, { replace: true });
    } catch (failure) {
      fail(accountText.createFailed)(failure);
    }
  };
  return (
    <FormDialog
      open={assignable.ready && reason === null}
      title={accountText.newTitle}
      submitLabel="Create"
      dirty={name !== "" || chosen !== null || email !== ""}
      onSubmit={submit}
      onClose={() => go(paths.accounts, { replace: true })}
    >
      <NameField value={name} onChange={setName} submitted={submitted} />
      <RoleField value={role} onChange={setChosen} allow={allow} assignable={assignable} submitted={submitted} />
      <TextField
        label={accountText.emailField}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        onBlur={() => setLeftEmail(true)}
        error={shownEmailError !== undefined}
        helperText={shownEmailError}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}
