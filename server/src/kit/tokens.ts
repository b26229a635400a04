// Random tokens (sessions, tickets, links, secrets of devices); only their hash is stored.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** SHA-256; a fast hash is sufficient for 256 random bits (T-15). */
export function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Compares digests, in constant time. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(hashToken(given), hashToken(expected));
}

/** 256 random bits as text for a URL. */
export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}
