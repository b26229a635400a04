// Verifies the email address of a registration: one link, one use (docs/rules/accounts.md#verification).
import { verificationMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import * as store from "./verification.store.ts";

type Subject = { accountId: string; credentialId: string };

/** Issues a link to an unfinished registration; earlier ones become invalid. */
export async function issueRegistration(tx: Tx, credentialId: string): Promise<string> {
  const registration = randomToken();
  await store.setRegistration(tx, credentialId, hashToken(registration));
  return registration;
}

/**
 * Sets a credential to step 1 and returns the verification link; earlier codes become invalid. `registration`: the credential's
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
