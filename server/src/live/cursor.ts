// Encodes positions in the live channel as cursors, from which a client can resume.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const sizes = { nonce: 12, tag: 16, position: 8 };
const textForm = /^[\w-]{48}$/;

/**
 * Creates cursors that are valid only for one account in this process. They are encrypted, because a position reveals how many changes
 * all accounts made.
 */
export function createCursors() {
  const key = randomBytes(32);
  return {
    /** `position`: number of the last change that the client has received. */
    of(accountId: string, position: number): string {
      const nonce = randomBytes(sizes.nonce);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(accountId));
      const plain = Buffer.alloc(sizes.position);
      plain.writeBigUInt64BE(BigInt(position));
      const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },
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

/** Serializes the part of a message that all connections share; `closeFrame` adds the number and cursor of one connection. */
export function openFrame(message: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(message).slice(0, -1);
}

export function closeFrame(open: string, seq: number, cursor: string): string {
  return `${open},"seq":${seq},"cursor":"${cursor}"}`;
}
