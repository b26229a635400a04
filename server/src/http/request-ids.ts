// Request ids, shown in the response header, the server log, the audit log and its export.
import { randomBytes } from "node:crypto";

/**
 * Creates a generator of unique request ids: a random prefix per process and a counter.
 *
 * The prefix is hexadecimal because an id that starts with `-` would get the formula guard in CSV exports, and would then differ
 * from the id in the header and the log.
 */
export function createRequestIdGenerator(): () => string {
  const process = randomBytes(6).toString("hex");
  let n = 0;
  return () => `${process}-${(n += 1).toString(36)}`;
}
