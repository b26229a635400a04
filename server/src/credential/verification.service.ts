// Verifies the email address of a registration with a link that works once (docs/rules/accounts.md#verification).
import { verificationLifetimeMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import * as store from "./verification.store.ts";

type Subject = { accountId: string; credentialId: string };

/** Issues the token of an unfinished registration. Earlier tokens become invalid. */
export async function issueRegistrationToken(tx: Tx, credentialId: string): Promise<string> {
  const registration = randomToken();
  await store.setRegistrationToken(tx, credentialId, hashToken(registration));
  return registration;
}

/**
 * Sets a login to step 1 and returns the verification link. Earlier codes become invalid. `registration` is the login's
 * registration token.
 */
export async function issueVerificationLink(
  ctx: Context,
  tx: Tx,
  { accountId, credentialId }: Subject,
  registration: string,
): Promise<string> {
  const code = randomToken();
  await store.startVerification(tx, credentialId, hashToken(code), new Date(ctx.clock.now() + verificationLifetimeMs));
  return `${ctx.config.publicUrl}/account/${accountId}/registration/${registration}/verify/${code}`;
}
