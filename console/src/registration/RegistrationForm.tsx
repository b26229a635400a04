// Registration form with validation, for users with or without an invitation (RG-04, RG-05).
import { passwordText } from "../password/password.text.ts";
import { EntryForm, EntryOutcome } from "../ui/entry/EntryScreen.tsx";
import { Box, Typography } from "@mui/material";
import { lockableAddressFields, registrationFormSchema } from "@psp/contract/registration/registration.ts";
import { useEffect, useMemo, useRef, useState } from "react";
import { type DraftKey, dropDraft, keepDraft, readDraft } from "../api/session/drafts.ts";
import { RestoredNotice } from "../ui/form/RestoredNotice.tsx";
import { useCheckedForm } from "../ui/form/useCheckedForm.ts";
import { PasswordField } from "../ui/form/PasswordField.tsx";
import { PasswordRequirements } from "../password/PasswordRequirements.tsx";
import { usePasswordEvaluation } from "../password/usePasswordEvaluation.ts";
import { registrationText } from "./registration.text.ts";
import { RegistrationFields } from "./RegistrationFields.tsx";
import { refusalText } from "./RegistrationScreen.tsx";

const empty = {
  firstName: "",
  familyName: "",
  department: "",
  name: "",
  phone: "",
  street: "",
  streetNumber: "",
  zip: "",
  city: "",
  country: "",
  supplier: "",
  email: "",
  password: "",
  repeatPassword: "",
  dpa: false,
  eula: false,
};

export type RegistrationValues = typeof empty;

/** Values of a stored draft. Excludes passwords and agreements, which must be entered again. */
type Kept = Partial<Omit<RegistrationValues, "password" | "repeatPassword" | "dpa" | "eula">>;

/** The draft is not bound to an account. */
const keyOf = (form: string): DraftKey => ({ account: "", type: "registration", id: form });

function keptValues(form: string): Kept {
  const kept = readDraft(keyOf(form));
  const fields = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
  return Object.fromEntries(fields.filter(([name, value]) => name in empty && typeof value === "string")) as Kept;
}

function keepValues(form: string, values: RegistrationValues): void {
  const { password: _password, repeatPassword: _repeated, dpa: _dpa, eula: _eula, ...kept } = values;
  keepDraft(keyOf(form), kept);
}

type RegistrationFormProps = {
  /** Id of the draft, which is the page's path or the id of the invitation. */
  draftOf: string;
  known?: Partial<RegistrationValues>;
  /** Invited e-mail address. Without it, the form asks for one. */
  invited?: string | undefined;
  locked?: boolean;
  /** Colleagues belong to a known organization, and may omit department and phone. */
  colleague?: boolean;
  /** Throws CallError. */
  onRegister: (form: RegistrationValues) => Promise<void>;
};

export function RegistrationForm(props: RegistrationFormProps) {
  // Incremented when the draft is discarded, to reset the form.
  const [round, setRound] = useState(0);
  const discard = () => {
    dropDraft(keyOf(props.draftOf));
    setRound(round + 1);
  };
  return <Form key={round} {...props} onDiscard={discard} />;
}

type FormProps = RegistrationFormProps & { onDiscard: () => void };

function Form({ onDiscard, draftOf, known = {}, invited, locked = false, colleague = false, onRegister }: FormProps) {
  const isInvited = invited !== undefined;
  const [failure, setFailure] = useState<string | null>(null);
  // After a successful registration, the draft must not be stored again.
  const isSent = useRef(false);
  const schema = useMemo(
    () => registrationFormSchema({ invited: isInvited, locked, colleague }),
    [isInvited, locked, colleague],
  );
  const isLocked = (name: string) =>
    (locked && lockableAddressFields.some((one) => one === name)) || (colleague && name === "name");
  const [{ start, isRestored }] = useState(() => {
    const before = { ...empty, ...known };
    const kept = Object.fromEntries(Object.entries(keptValues(draftOf)).filter(([name]) => !isLocked(name))) as Kept;
    const isRestored = (Object.keys(kept) as (keyof Kept)[]).some((name) => kept[name] !== before[name]);
    return { start: { ...before, ...kept }, isRestored };
  });
  const { values, isDirty, busy, wasLeft, errorOf, refuse, inputOf, fieldOf, onSubmit } = useCheckedForm(schema, start);
  const { password, name, email } = values;
  const accountName = colleague ? `${values.firstName} ${values.familyName}`.trim() : name;
  const judge = usePasswordEvaluation(password, { name: accountName, email: invited ?? email });

  const submit = async (form: RegistrationValues) => {
    setFailure(null);
    if (!(await judge.accepts())) return refuse("password", passwordText.unfulfilled);
    try {
      await onRegister(form);
      isSent.current = true;
      dropDraft(keyOf(draftOf));
    } catch (error) {
      setFailure(refusalText(error));
    }
  };
  useEffect(() => {
    if (isDirty && !isSent.current) keepValues(draftOf, values);
  }, [isDirty, draftOf, values]);
  const lacking = judge.lacks && wasLeft("password") ? passwordText.unfulfilled : undefined;
  return (
    <>
      {failure === null ? null : (
        <EntryOutcome severity="error" atTop>
          {failure}
        </EntryOutcome>
      )}
      {isRestored ? <RestoredNotice onDiscard={onDiscard} /> : null}
      <EntryForm wide busy={busy} submitLabel={registrationText.register} onSubmit={(event) => onSubmit(submit)(event)}>
        <Typography sx={{ color: "text.secondary" }}>{registrationText.allRequired}</Typography>
        <RegistrationFields
          open={!isInvited}
          addressNote={
            colleague ? registrationText.organizationLocked : locked ? registrationText.addressLocked : undefined
          }
          isColleague={colleague}
          text={(field) => ({ ...fieldOf(field), readOnly: isLocked(field) })}
          tick={(field) => ({ ...inputOf(field), error: errorOf(field) })}
        >
          <Box sx={{ gridColumn: "1 / -1", display: "flex", flexDirection: "column", gap: 4 }}>
            {isInvited ? (
              <Typography>
                {registrationText.registersAs} <strong>{invited}</strong>
                {/* Tells password managers the user name. */}
                <input type="text" autoComplete="username" value={invited} readOnly hidden />
              </Typography>
            ) : null}
            <PasswordField
              label={passwordText.password}
              autoComplete="new-password"
              {...fieldOf("password", lacking)}
            />
            <PasswordRequirements {...judge} words={passwordText.rules} />
            <PasswordField label={passwordText.confirm} autoComplete="new-password" {...fieldOf("repeatPassword")} />
          </Box>
        </RegistrationFields>
      </EntryForm>
    </>
  );
}
