// Creating an account: name, role and the address that the invitation goes to (spec 1 §2, §5).
import { emailSchema } from "@psp/contract/account/account.ts";
import TextField from "@mui/material/TextField";
import { useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useGoFromHere } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { NameField, nameError, RoleField, type RoleRef } from "./AccountFields.tsx";
import { account } from "../account.queries.ts";
import { accountText } from "../account.text.ts";
import { useCreationGate } from "./useCreationGate.ts";

export function NewAccountDialog() {
  const gate = useCreationGate();
  const go = useGoFromHere();
  const fail = useFailure();
  const toasts = useToasts();
  const create = account.useCreate();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<RoleRef | null>(null);
  const [email, setEmail] = useState("");
  const [leftEmail, setLeftEmail] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const role = chosen ?? gate.only;

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
      open={gate.open}
      title={accountText.newTitle}
      submitLabel="Create"
      dirty={name !== "" || chosen !== null || email !== ""}
      onSubmit={submit}
      onClose={() => go(paths.accounts, { replace: true })}
    >
      <NameField value={name} onChange={setName} submitted={submitted} />
      <RoleField
        value={role}
        onChange={setChosen}
        allow={gate.allow}
        assignable={gate.assignable}
        submitted={submitted}
      />
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
