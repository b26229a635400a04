// Tells failures of a replica from errors that the primary would report, too.
import { isDatabaseUnavailable } from "../database.ts";

/**
 * Whether the primary may answer: the replica is lost or out of resources, canceled the statement because of replay (class 40), or the
 * statement writes after all.
 */
export function isReplicaFault(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return /^(40|53|55|58|XX)\w{3}$/.test(code);
}
