// Seals secrets with a passphrase: scrypt derives the key, AES-256-GCM encrypts.
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";

const magic = Buffer.from("PSP sealed 1\n");
const sizes = { salt: 16, nonce: 12, tag: 16 };
/** 64 MiB of memory and about 0.2 s for each guess. */
const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 2 ** 27 };

const keyOf = (passphrase: string, salt: Buffer) => scryptSync(passphrase.normalize("NFC"), salt, 32, cost);

export function sealWithPassphrase(passphrase: string, content: Buffer): Buffer {
  const salt = randomBytes(sizes.salt);
  const nonce = randomBytes(sizes.nonce);
  const cipher = createCipheriv("aes-256-gcm", keyOf(passphrase, salt), nonce).setAAD(magic);
  const body = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([magic, salt, nonce, cipher.getAuthTag(), body]);
}

/** Null if the passphrase is wrong or the content was modified. */
export function openWithPassphrase(passphrase: string, sealed: Buffer): Buffer | null {
  let from = 0;
  const take = (length: number) => sealed.subarray(from, (from += length));
  if (!take(magic.length).equals(magic)) return null;
  const salt = take(sizes.salt);
  const nonce = take(sizes.nonce);
  const tag = take(sizes.tag);
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(passphrase, salt), nonce).setAAD(magic).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(from)), decipher.final()]);
  } catch {
    return null;
  }
}
