// A folder for temporary files in memory: each test file copies a database, which takes ten times as long on disk.

import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
/** With less, a long run might fill it. Containers have 64 MB here unless told otherwise. */
const ENOUGH_BYTES = 6 * 2 ** 30;

/**
 * Creates the folder, removed when this process exits, and returns the environment that points programs to it. Returns {} where
 * there is too little room: the system's temporary folder works as well, only slower.
 */
export function folderInMemory() {
  if (!hasRoom()) return {};
  const folder = mkdtempSync(`${MEMORY}/psp-`);
  // PostgreSQL runs as another user when the tests are root's.
  chmodSync(folder, 0o711);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  return { TMPDIR: folder };
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
