// The step of a registration, as it travels; personal data only while its form is open (T-08).
import { registrationSteps } from "@psp/contract/account/account.ts";
import type { RegistrationState } from "@psp/contract/registration/registration.ts";
import type { RegistrationRow } from "./registration.store.ts";

/** "When the account already has a country": what an import or an administrator entered is not the person's to change. */
export function isLocked(row: Pick<RegistrationRow, "readonly_address" | "country">): boolean {
  return row.readonly_address || row.country !== null;
}

export function toRegistration(row: RegistrationRow): RegistrationState {
  const { step, email, name, phone, street, zip, city, country } = row;
  if (step !== registrationSteps.invited) return atStep(step);
  return {
    registrationInfo: [{ stepReached: step, credentials: { email } }],
    readonlyAddress: isLocked(row),
    name,
    phone,
    street,
    streetNumber: row.street_number,
    zip,
    city,
    country,
  };
}

export function atStep(step: number): RegistrationState {
  return { registrationInfo: [{ stepReached: step }] };
}
