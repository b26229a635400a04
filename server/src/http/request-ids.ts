// The id that names a request: in the answer, in the log, in the history and in its file.
import { randomBytes } from "node:crypto";

/**
 * Ids that name one request of one process: drawn once, then counted.
 *
 * They begin with a digit or a letter. A sign such as `-` would make a spreadsheet read the id as a formula, and an exported file would have to spell it differently from the header and the log.
 */
export function requestIds(): () => string {
  const process = randomBytes(6).toString("hex");
  let n = 0;
  return () => `${process}-${(n += 1).toString(36)}`;
}
