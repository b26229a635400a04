// The secret a device proves itself with: 256 random bits, kept as SHA-256, the one before valid for ten minutes more.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "../context.ts";

export const previousValidMs = 10 * 60_000;
const gatherMs = 4;
const claimAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const claimLength = 8;

/** 43 characters; random enough that a fast hash is the right one (threats T-15). */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Eight symbols of 32 that nobody mixes up when reading them off a label: 40 random bits (threats T-13). */
export function newClaimingCode(): string {
  return Array.from(randomBytes(claimLength), (byte) => claimAlphabet[byte % claimAlphabet.length]).join("");
}

export type SecretHashes = { secret_hash: Buffer; previous_hash: Buffer | null; previous_until: Date | null };

/** True for the present secret, and for the previous one while it lasts. Takes equally long for any wrong one. */
export function provesDevice(hashes: SecretHashes, secret: string, nowMs: number): boolean {
  const given = hashSecret(secret);
  const current = timingSafeEqual(given, hashes.secret_hash);
  const previous = hashes.previous_hash !== null && timingSafeEqual(given, hashes.previous_hash);
  return current || (previous && (hashes.previous_until?.getTime() ?? 0) > nowMs);
}

/**
 * Checks secrets for the broker. After an outage thousands of devices knock within a second, so lookups of a few
 * milliseconds share one query. Rejects when the database can't answer.
 */
export function createSecretCheck(ctx: Context): (wireId: string, secret: string) => Promise<boolean> {
  let gathering: { ids: Set<string>; found: Promise<Map<string, SecretHashes>> } | null = null;

  function gather() {
    const ids = new Set<string>();
    const found = new Promise<void>((go) => setTimeout(go, gatherMs)).then(async () => {
      gathering = null;
      const rows = await ctx.db
        .selectFrom("sensor")
        .innerJoin("device", "device.sensor_num", "sensor.num")
        .where("sensor.wire_id", "in", [...ids])
        .where("sensor.is_deleted", "=", false)
        .select(["sensor.wire_id", "secret_hash", "previous_hash", "previous_until"])
        .execute();
      return new Map(rows.map((row) => [row.wire_id, row]));
    });
    return { ids, found };
  }

  return async (wireId, secret) => {
    gathering ??= gather();
    gathering.ids.add(wireId);
    const hashes = (await gathering.found).get(wireId);
    return hashes !== undefined && provesDevice(hashes, secret, ctx.clock.now());
  };
}
