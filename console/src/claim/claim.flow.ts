// Looks up and claims registration codes (docs/rules/claiming.md#registration-screen).
import { claimSensors, findClaimable } from "@psp/contract/claim/claim.api.ts";
import { type Claim, isClaimingCode, maxClaims, normalizeClaimingCode } from "@psp/contract/claim/claim.ts";
import { call, CallError } from "../api/call.ts";

export type ClaimStatus = "NONE" | "INVALID_CODE_LENGTH" | "NOT_CLAIMABLE" | "CLAIMED";
/** Type and id are null if the code can't be claimed. */
export type ClaimRow = {
  sensorType: string | null;
  sensorID: string | null;
  claimingCode: string;
  claimingStatus: ClaimStatus;
};

const lookups = 5;

const isRefused = (error: unknown) => error instanceof CallError && error.status === 404;

/** Null if the code can't be claimed. Throws errors that are not about the code. */
async function find(code: string): Promise<Claim | null> {
  try {
    return { ...(await call(findClaimable, { params: { code } })), claimingCode: code };
  } catch (error) {
    if (isRefused(error)) return null;
    throw error;
  }
}

/** Claims sensors, and returns the ids of those that now belong to the caller. */
async function take(claims: readonly Claim[]): Promise<Set<string>> {
  try {
    const results = await call(claimSensors, { body: { sensors: [...claims] } });
    return new Set(results.filter(({ status }) => status === "CLAIMED").map(({ id }) => id));
  } catch (error) {
    if (isRefused(error)) return new Set();
    throw error;
  }
}

/** `unknown`: the lookup failed; `refused`: the claim failed. */
export type ClaimOutcome =
  | { is: "claimed"; row: ClaimRow; id: string }
  | { is: "unknown" }
  | { is: "refused"; id: string };

export async function claimCode(text: string): Promise<ClaimOutcome> {
  const code = normalizeClaimingCode(text);
  const found = isClaimingCode(code) ? await find(code) : null;
  if (!found) return { is: "unknown" };
  const taken = await take([found]);
  if (!taken.has(found.id)) return { is: "refused", id: found.id };
  return { is: "claimed", id: found.id, row: rowOf(code, found, "CLAIMED") };
}

function rowOf(code: string, sensor: Claim | null, claimingStatus: ClaimStatus): ClaimRow {
  return { sensorType: sensor?.type ?? null, sensorID: sensor?.id ?? null, claimingCode: code, claimingStatus };
}

/**
 * Claims codes. After each step, calls `onRows` with one row per code in the given order, including invalid codes. If the server
 * can't be reached or refuses further codes, throws; codes that were not finished then keep the status NONE.
 */
export async function claimCodes(texts: readonly string[], onRows: (rows: readonly ClaimRow[]) => void): Promise<void> {
  const codes = [...new Set(texts.map(normalizeClaimingCode))];
  const rows = new Map(
    codes.map((code) => [code, rowOf(code, null, isClaimingCode(code) ? "NONE" : "INVALID_CODE_LENGTH")]),
  );
  const report = () => onRows([...rows.values()]);
  report();
  const claims: Claim[] = [];
  for (const some of portions(codes.filter(isClaimingCode), lookups)) {
    const sensors = await Promise.all(some.map(find));
    for (const [n, code] of some.entries()) {
      const sensor = sensors[n] ?? null;
      if (sensor !== null) claims.push(sensor);
      rows.set(code, rowOf(code, sensor, sensor === null ? "NOT_CLAIMABLE" : "NONE"));
    }
    report();
  }
  for (const some of portions(claims, maxClaims)) {
    const taken = await take(some);
    for (const claim of some) {
      const status = taken.has(claim.id) ? "CLAIMED" : "NOT_CLAIMABLE";
      rows.set(claim.claimingCode, rowOf(claim.claimingCode, claim, status));
    }
    report();
  }
}

function portions<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
