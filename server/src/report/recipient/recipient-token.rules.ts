// Signed tokens in mails of reports: one confirms, another unsubscribes, each for one address of one report only.
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { uuid } from "@psp/contract/kit/ids.ts";
import type { Config } from "../../config.ts";

export type TokenPurpose = "confirm" | "end";
export type RecipientToken = { purpose: TokenPurpose; reportId: string; email: string };

const prefix = "report";

function signatureOf(config: Config, { purpose, reportId, email }: RecipientToken): string {
  const key = Buffer.from(hkdfSync("sha256", config.secrets.session, "", `psp report ${purpose} v1`, 32));
  return createHmac("sha256", key).update(`${reportId} ${email}`).digest("base64url");
}

export function signRecipientToken(config: Config, token: RecipientToken): string {
  const { purpose, reportId, email } = token;
  return `${prefix}-${purpose}.${reportId}.${Buffer.from(email).toString("base64url")}.${signatureOf(config, token)}`;
}

/** Returns null for invalid tokens and for those of other mails. */
export function readRecipientToken(config: Config, text: string): RecipientToken | null {
  const [kind, reportId = "", encoded = "", signature = "", ...more] = text.split(".");
  const purpose = kind === `${prefix}-confirm` ? "confirm" : kind === `${prefix}-end` ? "end" : null;
  if (purpose === null || more.length > 0 || !uuid.safeParse(reportId).success) return null;
  const token = { purpose, reportId, email: Buffer.from(encoded, "base64url").toString() } as const;
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(config, token))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
}
