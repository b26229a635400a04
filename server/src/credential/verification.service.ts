// Verifies the email address of a registration with a link that works once (docs/rules/accounts.md#verification).
import { verificationMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import * as store from "./verification.store.ts";

type Subject = { accountId: string; credentialId: string };

/** Issues the token of an unfinished registration. Earlier tokens become invalid. */
export async function issueRegistration(tx: Tx, credentialId: string): Promise<string> {
  const registration = randomToken();
  await store.setRegistration(tx, credentialId, hashToken(registration));
  return registration;
}

/**
 * Sets a login to step 1 and returns the verification link. Earlier codes become invalid. `registration` is the login's
 * registration token.
 */
export async function issueVerification(
  ctx: Context,
  tx: Tx,
  { accountId, credentialId }: Subject,
  registration: string,
): Promise<string> {
  const code = randomToken();
  await store.awaitVerification(tx, credentialId, hashToken(code), new Date(ctx.clock.now() + verificationMs));
  return `${ctx.config.publicUrl}/account/${accountId}/registration/${registration}/verify/${code}`;
}
