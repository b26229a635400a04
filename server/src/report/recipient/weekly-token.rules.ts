// The signed token of unsubscribe links in weekly reports that were sent before reports had recipients; they keep working.
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { uuid } from "@psp/contract/kit/ids.ts";
import type { Config } from "../../config.ts";

function signatureOf(config: Config, credentialId: string): string {
  const key = Buffer.from(hkdfSync("sha256", config.secrets.session, "", "psp weekly report v1", 32));
  return createHmac("sha256", key).update(credentialId).digest("base64url");
}

/** Used only to withdraw queued mails and to test old links; new mails have recipient tokens. */
export function signWeeklyToken(config: Config, credentialId: string): string {
  return `${credentialId}.${signatureOf(config, credentialId)}`;
}

/** Returns the login's id, or null if the signature is invalid. */
export function verifyWeeklyToken(config: Config, token: string): string | null {
  const [credentialId = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !uuid.safeParse(credentialId).success) return null;
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(config, credentialId))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? credentialId : null;
}
