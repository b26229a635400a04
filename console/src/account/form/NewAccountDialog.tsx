// Creating an account: name, role and the address that the invitation goes to (spec 1 §2, §5).
import { emailSchema } from "@psp/contract/account/account.ts";
import { useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { useGoFromHere } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import type { Ref } from "../../entity/reference/ReferenceSelect.tsx";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { EmailField, NameField, nameError, RoleField, useCreationGate } from "./AccountFields.tsx";
import { account } from "../account.queries.ts";
import { accountText } from "../account.text.ts";

export function NewAccountDialog() {
  const gate = useCreationGate();
  const go = useGoFromHere();
  const fail = useFailure();
  const toasts = useToasts();
  const create = account.useCreate();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<Ref | null>(null);
  const [email, setEmail] = useState("");
  const [submitted, setSubmitted] = useState(false);
  const role = chosen ?? gate.only;

  const parsed = emailSchema.safeParse(email);
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
      <EmailField value={email} onChange={setEmail} submitted={submitted} />
    </FormDialog>
  );
}
