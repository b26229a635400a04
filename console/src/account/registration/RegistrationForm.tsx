// The registration form with its rules: by invitation, or open to everybody (RG-04, RG-05).
import { EntryForm, Outcome } from "../../ui/entry/EntryScreen.tsx";
import { Box, Typography } from "@mui/material";
import { lockedFields, registrationFormSchema } from "@psp/contract/registration/registration.ts";
import { useMemo, useRef, useState } from "react";
import { useCheckedForm } from "../../ui/form/useCheckedForm.ts";
import { PasswordField } from "../../ui/form/PasswordField.tsx";
import { PasswordRequirements } from "../../password/PasswordRequirements.tsx";
import { usePasswordJudge } from "../../password/usePasswordJudge.ts";
import { accountText } from "../account.text.ts";
import { registrationText } from "./registration.text.ts";
import { RegistrationFields } from "./RegistrationFields.tsx";
import { whyRefused } from "./RegistrationScreen.tsx";

/** In the order of the fields. */
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

const storedAt = "psp-registration";
/** Everything but what proves or signs something: that is entered again. */
type Kept = Partial<Omit<RegistrationValues, "password" | "repeatPassword" | "dpa" | "eula">>;

/** What was typed into this form, kept over a reload in this tab; passwords never. */
function readDraft(form: string): Kept {
  try {
    const { of, values } = JSON.parse(sessionStorage.getItem(storedAt) ?? "{}") as { of?: string; values?: Kept };
    return of === form && typeof values === "object" ? values : {};
  } catch {
    return {};
  }
}

function keepDraft(form: string, values: RegistrationValues): void {
  const { password: _password, repeatPassword: _repeated, dpa: _dpa, eula: _eula, ...kept } = values;
  sessionStorage.setItem(storedAt, JSON.stringify({ of: form, values: kept }));
}

type RegistrationFormProps = {
  /** Names the form for its draft: the address of its page, or the invitation. */
  draftOf: string;
  /** What is known already. */
  known?: Partial<RegistrationValues>;
  /** The address that was invited; without it the form asks for one. */
  invited?: string | undefined;
  /** The postal address is not the person's to change. */
  locked?: boolean;
  /** Sends the form; throws CallError. */
  onRegister: (form: RegistrationValues) => Promise<void>;
};

export function RegistrationForm({ draftOf, known = {}, invited, locked = false, onRegister }: RegistrationFormProps) {
  const isInvited = invited !== undefined;
  const [failure, setFailure] = useState<string | null>(null);
  // The button may lose the focus when all is done.
  const isSent = useRef(false);
  const schema = useMemo(() => registrationFormSchema({ invited: isInvited, locked }), [isInvited, locked]);
  const isLocked = (name: string) => locked && lockedFields.some((one) => one === name);
  const [start] = useState<RegistrationValues>(() => {
    const draft = Object.entries(readDraft(draftOf)).filter(([name]) => !isLocked(name));
    return { ...empty, ...known, ...Object.fromEntries(draft) };
  });
  const { values, isDirty, busy, wasLeft, errorOf, refuse, inputOf, fieldOf, onSubmit } = useCheckedForm(schema, start);
  const { password, name, email } = values;
  const judge = usePasswordJudge(password, { name, email: invited ?? email });

  const submit = async (form: RegistrationValues) => {
    setFailure(null);
    if (!(await judge.accepts())) return refuse("password", accountText.passwordUnfulfilled);
    try {
      await onRegister(form);
      isSent.current = true;
      sessionStorage.removeItem(storedAt);
    } catch (error) {
      setFailure(whyRefused(error));
    }
  };
  const lacking = judge.lacks && wasLeft("password") ? accountText.passwordUnfulfilled : undefined;
  return (
    <>
      {failure === null ? null : (
        <Outcome severity="error" atTop>
          {failure}
        </Outcome>
      )}
      <EntryForm
        wide
        busy={busy}
        submitLabel={registrationText.register}
        onSubmit={(event) => onSubmit(submit)(event)}
        onBlur={() => (isDirty && !isSent.current ? keepDraft(draftOf, values) : undefined)}
      >
        <Typography sx={{ color: "text.secondary" }}>{registrationText.allRequired}</Typography>
        <RegistrationFields
          open={!isInvited}
          addressNote={locked ? registrationText.addressLocked : undefined}
          text={(field) => ({ ...fieldOf(field), readOnly: isLocked(field) })}
          tick={(field) => ({ ...inputOf(field), error: errorOf(field) })}
        >
          <Box sx={{ gridColumn: "1 / -1", display: "flex", flexDirection: "column", gap: 4 }}>
            {isInvited ? (
              <Typography>
                {registrationText.registersAs} <strong>{invited}</strong>
                {/* So that a password manager knows whose password it is. */}
                <input type="text" autoComplete="username" value={invited} readOnly hidden />
              </Typography>
            ) : null}
            <PasswordField label={accountText.password} autoComplete="new-password" {...fieldOf("password", lacking)} />
            <PasswordRequirements {...judge} words={accountText.passwordRules} />
            <PasswordField
              label={accountText.confirmPassword}
              autoComplete="new-password"
              {...fieldOf("repeatPassword")}
            />
          </Box>
        </RegistrationFields>
      </EntryForm>
    </>
  );
}
