// Field for the email address of a login.
import { CheckedField } from "../entity/CheckedField.tsx";
import { emailError } from "./email-error.ts";
import { invitationText as text } from "./invitation.text.ts";

type EmailFieldProps = {
  value: string;
  onChange: (email: string) => void;
  submitted: boolean;
  others?: readonly string[];
  /** Why the server refused the address. */
  refusal?: string | undefined;
};

export const EmailField = ({ others, refusal, ...props }: EmailFieldProps) => (
  <CheckedField {...props} label={text.email} type="email" error={emailError(props.value, others) ?? refusal} />
);
