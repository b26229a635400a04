// Signs and reads the token of a reset link, which is valid while its binding is stored (T-09). The console can read it, too.
import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { Config } from "../config.ts";

const payloadSchema = z.strictObject({
  /** Id of the credential. */
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
// Compared as text, so that no other header is ever parsed.
const header = base64(JSON.stringify({ alg: "HS256", typ: "JWT" }));

function signatureOf(config: Config, signed: string): string {
  const key = Buffer.from(hkdfSync("sha256", config.secrets.session, "", "psp password reset v1", 32));
  return createHmac("sha256", key).update(signed).digest("base64url");
}

/** Returns a JSON Web Token (HS256). */
export function signResetToken(config: Config, payload: ResetPayload): string {
  const signed = `${header}.${base64(JSON.stringify(payload))}`;
  return `${signed}.${signatureOf(config, signed)}`;
}

/** Returns the payload of a validly signed token and whether it has expired, or null for any other token. */
export function verifyResetToken(config: Config, token: string, nowMs: number) {
  const [head, body = "", signature = "", ...more] = token.split(".");
  // Compared as text, because several base64 spellings decode to the same bytes.
  const expected = Buffer.from(signatureOf(config, `${head}.${body}`));
  const given = Buffer.from(signature);
  if (head !== header || more.length > 0 || given.length !== expected.length) return null;
  if (!timingSafeEqual(expected, given)) return null;
  const payload = payloadSchema.safeParse(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
  return payload.success ? { payload: payload.data, isExpired: nowMs >= payload.data.exp * 1000 } : null;
}

/** Binds a link to its mail and to the present password: a newer mail or any change of the password invalidates the link. */
export function computeBinding(nonce: string, passwordHash: string | null): Buffer {
  return createHash("sha256")
    .update(`${nonce}\n${passwordHash ?? ""}`)
    .digest();
}
