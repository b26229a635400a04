// Queries for the codes that verify an email address.
import { registrationSteps } from "@psp/contract/account/account.ts";
import type { Tx } from "../db/database.ts";

export async function setRegistrationToken(tx: Tx, credentialId: string, registration: Buffer): Promise<void> {
  await tx.updateTable("credential").set({ reg_token: registration }).where("id", "=", credentialId).execute();
}

/** Sets step 1. From then on, only the code of the newest mail works. */
export async function startVerification(tx: Tx, credentialId: string, code: Buffer, until: Date): Promise<void> {
  await tx
    .updateTable("credential")
    .set({ step: registrationSteps.confirmEmail, verify_token: code, token_expires_at: until })
    .where("id", "=", credentialId)
    .execute();
}
