// A filled form as it travels: without what only the page needs (spec 1 §5).
import type { completeRegistration, signUp } from "@psp/contract/registration/registration.api.ts";
import type { RegistrationField } from "@psp/contract/registration/registration.ts";
import type { Sent } from "@psp/contract/kit/endpoint.ts";

/** The form's values by field. */
export type RegistrationValues = Record<Exclude<RegistrationField, "dpa" | "eula">, string> & {
  dpa: boolean;
  eula: boolean;
};

/** What an invited person sends; of a locked address nothing. */
export function invitedBody(form: RegistrationValues, locked: boolean): Sent<typeof completeRegistration>["body"] {
  const { name, phone, password } = form;
  return { name, phone, ...(locked ? {} : addressOf(form)), legal: legalOf(form), credentials: { password } };
}

export function signUpBody(form: RegistrationValues): Sent<typeof signUp>["body"] {
  const { name, phone, supplier, email, password } = form;
  return {
    name,
    phone,
    ...addressOf(form),
    ...(supplier === "" ? {} : { supplier }),
    legal: legalOf(form),
    credentials: { email, password },
  };
}

function addressOf({ street, streetNumber, zip, city, country }: RegistrationValues) {
  return { street, streetNumber, zip, city, country };
}

/** The boxes are ticked, or the form would not be sent; the server has its own clock. */
function legalOf({ firstName, familyName, department }: RegistrationValues) {
  const now = new Date().toISOString();
  return { firstName, familyName, department, dpaAcceptedAt: now, eulaAcceptedAt: now };
}
