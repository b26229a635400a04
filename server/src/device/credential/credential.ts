// The secret a device proves itself with: 256 random bits, kept as SHA-256, the one before valid for ten minutes more.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "../../context.ts";
import { hashToken } from "../../kit/tokens.ts";
import { findSecrets } from "./renewal.store.ts";

export const previousValidMs = 10 * 60_000;
const gatherMs = 4;
const claimAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const claimLength = 8;

/** Eight symbols of 32 that can't be mixed up when read off a label: 40 random bits (T-13). */
export function newClaimingCode(): string {
  return Array.from(randomBytes(claimLength), (byte) => claimAlphabet[byte % claimAlphabet.length]).join("");
}

export type SecretHashes = {
  secret_hash: Buffer;
  previous_hash: Buffer | null;
  previous_until: Date | null;
  /** Of the password that the device was sent after its sensor changed hands. */
  next_hash: Buffer | null;
};

/**
 * What the secret proves: that it is this device, by the current secret, or the previous one while it lasts; or that it
 * holds the next one. Takes equally long for any wrong one.
 */
export function proofOf(hashes: SecretHashes, secret: string, nowMs: number): "present" | "next" | null {
  const given = hashToken(secret);
  const current = timingSafeEqual(given, hashes.secret_hash);
  const previous = hashes.previous_hash !== null && timingSafeEqual(given, hashes.previous_hash);
  const next = hashes.next_hash !== null && timingSafeEqual(given, hashes.next_hash);
  if (current || (previous && (hashes.previous_until?.getTime() ?? 0) > nowMs)) return "present";
  return next ? "next" : null;
}

/** Calls of a few milliseconds share one run: after an outage thousands of devices call within a second. */
function gathered<T, R>(run: (items: T[]) => Promise<R>): (item: T) => Promise<R> {
  let gathering: { items: T[]; done: Promise<R> } | null = null;
  return (item) => {
    if (!gathering) {
      const items: T[] = [];
      const done = new Promise<void>((go) => setTimeout(go, gatherMs)).then(() => {
        gathering = null;
        return run(items);
      });
      gathering = { items, done };
    }
    gathering.items.push(item);
    return gathering.done;
  };
}

type SecretCheck = (wireId: string, secret: string) => Promise<boolean>;
type Proved = { sensorId: string; hash: Buffer };

/**
 * Checks secrets for the broker. Rejects when the database can't answer. `onNext` makes the next secret of devices the
 * current one; without it a next one is worth nothing yet.
 */
export function createSecretCheck(ctx: Context, onNext?: (proved: readonly Proved[]) => Promise<void>): SecretCheck {
  const look = gathered(async (wireIds: string[]) => {
    const rows = await findSecrets(ctx.db, wireIds);
    return new Map(rows.map((row) => [row.wire_id, row]));
  });
  const makePresent = onNext ? gathered<Proved, void>(onNext) : null;
  const proof = async (wireId: string, secret: string) => {
    const found = (await look(wireId)).get(wireId);
    return found ? { sensorId: found.id, by: proofOf(found, secret, ctx.clock.now()) } : null;
  };

  return async (wireId, secret) => {
    const found = await proof(wireId, secret);
    if (found?.by !== "next" || !makePresent) return found?.by === "present";
    await makePresent({ sensorId: found.sensorId, hash: hashToken(secret) });
    // The sensor may have changed hands once more in between.
    return (await proof(wireId, secret))?.by === "present";
  };
}
