// Encrypts secrets that must be readable again (init tokens, REST passwords) with a key from the session secret.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Config } from "../config.ts";

function keyOf(config: Config): Buffer {
  return Buffer.from(hkdfSync("sha256", config.secrets.session, "", "psp sealing v1", 32));
}

/** AES-256-GCM: nonce, tag and ciphertext in one value. `purpose` binds it to its column and row. */
export function seal(config: Config, purpose: string, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(config), nonce).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws if the value was modified or has another purpose. */
export function unseal(config: Config, purpose: string, sealed: Buffer): string {
  const decipher = createDecipheriv("aes-256-gcm", keyOf(config), sealed.subarray(0, 12)).setAAD(Buffer.from(purpose));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return decipher.update(sealed.subarray(28)).toString("utf8") + decipher.final("utf8");
}
