// Signed token in issue mails; it can only confirm or unsubscribe the address that it contains.
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Config } from "../../config.ts";

const prefix = "alerts";

function signatureOf(config: Config, email: string): string {
  const key = Buffer.from(hkdfSync("sha256", config.secrets.session, "", "psp alerts v1", 32));
  return createHmac("sha256", key).update(email).digest("base64url");
}

export function signAlertToken(config: Config, email: string): string {
  return `${prefix}.${Buffer.from(email).toString("base64url")}.${signatureOf(config, email)}`;
}

export function readAlertToken(config: Config, token: string): string | null {
  const [kind, encoded = "", signature = "", ...more] = token.split(".");
  if (kind !== prefix || more.length > 0) return null;
  const email = Buffer.from(encoded, "base64url").toString();
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(config, email))];
  return given.length === expected.length && timingSafeEqual(given, expected) ? email : null;
}
