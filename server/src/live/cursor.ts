// The cursor of a live connection: each message carries its number and a cursor from which the client can resume.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const sizes = { nonce: 12, tag: 16, position: 8 };
const textForm = /^[\w-]{48}$/;

/**
 * Cursors of this process. A position counts the changes of all accounts, so it is encrypted and authenticated with the account: a cursor
 * reveals nothing, and is invalid for other accounts and processes.
 */
export function createCursors() {
  const key = randomBytes(32);
  return {
    /** `position`: the number of the last change that the client knows. */
    of(accountId: string, position: number): string {
      const nonce = randomBytes(sizes.nonce);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(accountId));
      const plain = Buffer.alloc(sizes.position);
      plain.writeBigUInt64BE(BigInt(position));
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    /** Null for an invalid cursor. */
    read(accountId: string, text: string): number | null {
      if (!textForm.test(text)) return null;
      const bytes = Buffer.from(text, "base64url");
      const body = sizes.nonce + sizes.tag;
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, sizes.nonce))
          .setAAD(Buffer.from(accountId))
          .setAuthTag(bytes.subarray(sizes.nonce, body));
        const plain = Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()]);
        return Number(plain.readBigUInt64BE());
      } catch {
        return null;
      }
    },
  };
}

/** The message as JSON without its end: number and cursor differ per connection, the rest is shared. */
export function openFrame(message: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(message).slice(0, -1);
}

export function closeFrame(open: string, seq: number, cursor: string): string {
  return `${open},"seq":${seq},"cursor":"${cursor}"}`;
}
