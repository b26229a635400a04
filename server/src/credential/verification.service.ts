// Proof that the person who registered reads the mails of the address: one link, one use (docs/rules/accounts.md#verification).
import { verificationMs } from "@psp/contract/registration/registration.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/database.ts";
import { hashToken, randomToken } from "../kit/tokens.ts";
import * as store from "./verification.store.ts";

type Subject = { accountId: string; credentialId: string };

/** A fresh link to the registration of this credential, for those who have none yet or lost it; older ones are void. */
export async function issueRegistration(tx: Tx, credentialId: string): Promise<string> {
  const registration = randomToken();
  await store.setRegistration(tx, credentialId, hashToken(registration));
  return registration;
}

/** Sets a credential to step 1 and answers the link that ends it; the codes before are void. `registration` is its own token. */
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
