// Creates and checks device secrets, stored as SHA-256. The previous secret stays valid for ten minutes.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import { createBatcher } from "../../db/connection/batcher.ts";
import { hashToken } from "../../kit/tokens.ts";
import { findSecrets } from "./renewal.store.ts";

export const previousSecretValidMs = 10 * 60_000;
/** Devices that connect at once send their passwords within some milliseconds. */
export const gatherMs = 4;
const claimAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const claimLength = 8;

/** Eight characters from an alphabet of 32 that people can't confuse with each other: 40 random bits (T-13). */
export function generateClaimingCode(): string {
  return Array.from(randomBytes(claimLength), (byte) => claimAlphabet[byte % claimAlphabet.length]).join("");
}

const timeBytes = 6;
const randomCount = 14;
const macBytes = 12;

function macOf({ secrets }: Config, sensorId: string, body: Buffer): Buffer {
  const key = Buffer.from(hkdfSync("sha256", secrets.session, "", "psp device password v1", 32));
  return createHmac("sha256", key).update(sensorId).update(body).digest().subarray(0, macBytes);
}

/** Contains the time and a MAC, so that the server recognizes it even if a restored database does not know it. */
export function createPassword({ config, clock }: Pick<Context, "config" | "clock">, sensorId: string): string {
  const time = Buffer.alloc(timeBytes);
  time.writeUIntBE(clock.now(), 0, timeBytes);
  const body = Buffer.concat([time, randomBytes(randomCount)]);
  return Buffer.concat([body, macOf(config, sensorId, body)]).toString("base64url");
}

/** When this installation issued the password for this sensor, in ms since 1970; null if it did not. */
export function readIssuedAt(config: Config, sensorId: string, password: string): number | null {
  const bytes = Buffer.from(password, "base64url");
  if (bytes.length !== timeBytes + randomCount + macBytes) return null;
  const body = bytes.subarray(0, -macBytes);
  if (!timingSafeEqual(bytes.subarray(-macBytes), macOf(config, sensorId, body))) return null;
  return body.readUIntBE(0, timeBytes);
}

export type SecretHashes = {
  secret_hash: Buffer;
  previous_hash: Buffer | null;
  previous_until: Date | null;
  /** The password issued after a change of owner, not used yet. */
  next_hash: Buffer | null;
};

/**
 * "present": the current secret, or the previous one within its grace time. "next": the one issued after a change of owner. Compares in
 * constant time.
 */
function verifySecret(hashes: SecretHashes, secret: string, nowMs: number): "present" | "next" | null {
  const given = hashToken(secret);
  const current = timingSafeEqual(given, hashes.secret_hash);
  const previous = hashes.previous_hash !== null && timingSafeEqual(given, hashes.previous_hash);
  const next = hashes.next_hash !== null && timingSafeEqual(given, hashes.next_hash);
  if (current || (previous && (hashes.previous_until?.getTime() ?? 0) > nowMs)) return "present";
  return next ? "next" : null;
}

/** As `verifySecret`, for an enrollment. `proved_hash`: while the broker has not confirmed the present secret. */
export function verifyCredential(
  known: SecretHashes & { proved_hash: Buffer | null },
  credential: string | undefined,
  nowMs: number,
): "present" | "next" | null {
  if (credential === undefined) return null;
  return known.proved_hash?.equals(hashToken(credential)) ? "present" : verifySecret(known, credential, nowMs);
}

type SecretCheck = (wireId: string, secret: string) => Promise<boolean>;
type Proved = { sensorId: string; hash: Buffer };

/**
 * Checks secrets for the broker; rejects if the database is unavailable. `onNext` promotes the next secret to the current one; without it,
 * next secrets are refused.
 */
export function createSecretCheck(ctx: Context, onNext?: (proved: readonly Proved[]) => Promise<void>): SecretCheck {
  const look = createBatcher(async (wireIds: string[]) => {
    const rows = await findSecrets(ctx.db, wireIds);
    return new Map(rows.map((row) => [row.wire_id, row]));
  }, gatherMs);
  const makePresent = onNext ? createBatcher<Proved, void>(onNext, gatherMs) : null;
  const proof = async (wireId: string, secret: string) => {
    const found = (await look(wireId)).get(wireId);
    return found ? { sensorId: found.id, by: verifySecret(found, secret, ctx.clock.now()) } : null;
  };

  return async (wireId, secret) => {
    const found = await proof(wireId, secret);
    if (found?.by !== "next" || !makePresent) return found?.by === "present";
    await makePresent({ sensorId: found.sensorId, hash: hashToken(secret) });
    // The sensor may have changed owner again in between.
    return (await proof(wireId, secret))?.by === "present";
  };
}
