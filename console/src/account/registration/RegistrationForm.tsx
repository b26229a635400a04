// The registration form with its rules: by invitation, or open to everybody (RG-04, RG-05).
import { zodResolver } from "@hookform/resolvers/zod";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import CircularProgress from "@mui/material/CircularProgress";
import Typography from "@mui/material/Typography";
import { lockedFields, registrationFormSchema } from "@psp/contract/registration/registration.ts";
import { useEffect, useMemo, useRef, useState } from "react";
import { type Resolver, useForm, useWatch } from "react-hook-form";
import { CallError } from "../../api/call.ts";
import { PasswordField } from "../../ui/form/PasswordField.tsx";
import { PasswordRequirements } from "../credentials/PasswordRequirements.tsx";
import type { RegistrationValues } from "./registration.body.ts";
import { forgetDraft, keepDraft, readDraft } from "./registration.draft.ts";
import { registrationText } from "./registration.text.ts";
import { RegistrationFields } from "./RegistrationFields.tsx";
import { useJudgedPassword } from "../credentials/useJudgedPassword.ts";

const empty: RegistrationValues = {
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
  email: "",
  password: "",
  repeatPassword: "",
  supplier: "",
  dpa: false,
  eula: false,
};

const inOrder = [
  ...([
    "firstName",
    "familyName",
    "department",
    "name",
    "phone",
    "street",
    "streetNumber",
    "zip",
    "city",
    "country",
  ] as const),
  ...(["supplier", "email", "password", "repeatPassword", "dpa", "eula"] as const),
];

type RegistrationFormProps = {
  /** Names the form for its draft. */
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

/** The sentence for a form that was not taken: the server's own (spec 1 §8). */
function failureText(error: unknown): string {
  if (!(error instanceof CallError)) return registrationText.failed;
  return error.status === 429 ? registrationText.rateLimit : error.message;
}

/** Props: `draftOf`, `known?`, `invited?`, `locked?`, `onRegister(form)`. */
export function RegistrationForm({ draftOf, known = {}, invited, locked = false, onRegister }: RegistrationFormProps) {
  const isInvited = invited !== undefined;
  const [failure, setFailure] = useState<string | null>(null);
  const alert = useRef<HTMLDivElement>(null);
  const resolver = useMemo(
    () =>
      zodResolver(registrationFormSchema({ invited: isInvited, locked })) as unknown as Resolver<RegistrationValues>,
    [isInvited, locked],
  );
  const isLocked = (name: string) => locked && lockedFields.some((one) => one === name);
  const [start] = useState<RegistrationValues>(() => {
    const draft = Object.entries(readDraft(draftOf)).filter(([name]) => !isLocked(name));
    return { ...empty, ...known, ...Object.fromEntries(draft) };
  });
  const { register, handleSubmit, formState, control, setError, setFocus, getValues } = useForm<RegistrationValues>({
    resolver,
    mode: "onTouched",
    shouldFocusError: false,
    defaultValues: start,
  });
  const { errors, touchedFields, isSubmitted, isSubmitting: busy, isDirty } = formState;
  const [password, name, email] = useWatch({ control, name: ["password", "name", "email"] });
  const judged = useJudgedPassword(password, { name, email: invited ?? email });
  const focusNext = useRef<keyof RegistrationValues | null>(null);
  useEffect(() => {
    // A field that is off while the answer is awaited can't take the focus before.
    if (!busy && focusNext.current !== null) {
      setFocus(focusNext.current);
      focusNext.current = null;
    }
  }, [busy, setFocus]);
  useEffect(() => {
    if (failure === null) return;
    window.scrollTo({ top: 0 });
    alert.current?.focus({ preventScroll: true });
  }, [failure]);

  const submit = async (form: RegistrationValues) => {
    setFailure(null);
    if (!(await judged.accepts())) {
      setError("password", { message: registrationText.unfulfilled });
      focusNext.current = "password";
      return;
    }
    try {
      await onRegister(form);
      forgetDraft();
    } catch (error) {
      setFailure(failureText(error));
    }
  };
  const toFirst = (wrong: Partial<Record<keyof RegistrationValues, unknown>>) => {
    const first = inOrder.find((field) => wrong[field] !== undefined);
    if (first !== undefined) setFocus(first);
  };
  const messageOf = (field: keyof RegistrationValues) => {
    if (field === "repeatPassword" && !isSubmitted && touchedFields.repeatPassword !== true) return undefined;
    const lacking = field === "password" && judged.lacks && touchedFields.password === true;
    return errors[field]?.message ?? (lacking ? registrationText.unfulfilled : undefined);
  };
  const inputOf = (field: keyof RegistrationValues) => {
    const { ref, ...rest } = register(field, field === "password" ? { deps: "repeatPassword" } : {});
    return { ...rest, inputRef: ref, disabled: busy };
  };
  const textOf = (field: keyof RegistrationValues) => {
    const message = messageOf(field);
    return { ...inputOf(field), error: message !== undefined, helperText: message };
  };
  return (
    <>
      {failure === null ? null : (
        <Alert ref={alert} severity="error" tabIndex={-1}>
          {failure}
        </Alert>
      )}
      <Box
        component="form"
        noValidate
        aria-busy={busy}
        onBlur={() => (isDirty ? keepDraft(draftOf, getValues()) : undefined)}
        onSubmit={(event) => void handleSubmit(submit, toFirst)(event)}
        sx={{ display: "flex", flexDirection: "column", gap: 7 }}
      >
        <Typography sx={{ color: "text.secondary" }}>{registrationText.allRequired}</Typography>
        <RegistrationFields
          open={!isInvited}
          addressNote={locked ? registrationText.addressLocked : undefined}
          text={(field) => ({ ...textOf(field), readOnly: isLocked(field) })}
          tick={(field) => ({ ...inputOf(field), error: errors[field]?.message })}
        >
          <Box sx={{ gridColumn: "1 / -1", display: "flex", flexDirection: "column", gap: 4 }}>
            {isInvited ? (
              <Typography>
                {registrationText.registersAs} <strong>{invited}</strong>
                {/* So that a password manager knows whose password it is. */}
                <input type="text" autoComplete="username" value={invited} readOnly hidden />
              </Typography>
            ) : null}
            <PasswordField label={registrationText.password} autoComplete="new-password" {...textOf("password")} />
            <PasswordRequirements evaluation={judged.evaluation} isJudged={judged.isJudged} />
            <PasswordField
              label={registrationText.confirmPassword}
              autoComplete="new-password"
              {...textOf("repeatPassword")}
            />
          </Box>
        </RegistrationFields>
        <Button
          type="submit"
          variant="contained"
          disabled={busy}
          startIcon={busy ? <CircularProgress size={14} color="inherit" aria-hidden /> : undefined}
          sx={{ minHeight: 40, alignSelf: { sm: "flex-start" }, px: 8 }}
        >
          {registrationText.register}
        </Button>
      </Box>
    </>
  );
}
