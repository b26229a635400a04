// The token of a reset link: signed, readable by the console, and worth something only while its binding is stored (T-09).
import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Config } from "../config.ts";

const payloadSchema = z.strictObject({
  /** The credential. */
  sub: z.uuid(),
  /** The nonce of this mail. */
  jti: z.string(),
  /** Seconds since 1970. */
  exp: z.int(),
  /** The application to return to, from the allow-list. */
  origin: z.string().optional(),
});
export type ResetPayload = z.output<typeof payloadSchema>;

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64url");
// Written by us and compared as text: a header that says anything else is not even read.
const header = base64(JSON.stringify({ alg: "HS256", typ: "JWT" }));

function signatureOf(config: Config, signed: string): string {
  const key = Buffer.from(hkdfSync("sha256", config.secrets.session, "", "psp password reset v1", 32));
  return createHmac("sha256", key).update(signed).digest("base64url");
}

/** The payload as a JSON Web Token (HS256). */
export function signReset(config: Config, payload: ResetPayload): string {
  const signed = `${header}.${base64(JSON.stringify(payload))}`;
  return `${signed}.${signatureOf(config, signed)}`;
}

/** The payload of a token that we signed, and whether it has expired by `nowMs`; null for anything else. */
export function readReset(config: Config, token: string, nowMs: number) {
  const [head, body = "", signature = "", ...more] = token.split(".");
  // As texts: several spellings of base64 decode to the same bytes, and only ours counts.
  const expected = Buffer.from(signatureOf(config, `${head}.${body}`));
  const given = Buffer.from(signature);
  if (head !== header || more.length > 0 || given.length !== expected.length) return null;
  if (!timingSafeEqual(expected, given)) return null;
  const payload = payloadSchema.safeParse(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
  return payload.success ? { payload: payload.data, isExpired: nowMs >= payload.data.exp * 1000 } : null;
}

/** What is stored of a mail: a password changed since, by whatever way, makes another value. */
export function bindingOf(nonce: string, passwordHash: string | null): Buffer {
  return createHash("sha256")
    .update(`${nonce}\n${passwordHash ?? ""}`)
    .digest();
}
