// Random tokens (sessions, tickets, links, secrets of devices): made here, and stored as their digest only.
import { createHash, randomBytes } from "node:crypto";

/** SHA-256; for values with 256 random bits a fast hash is the right one (T-15). */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** 256 random bits as text for a URL. */
export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}
