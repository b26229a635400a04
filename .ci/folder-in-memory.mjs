// Temporary folder in memory: each test file copies a database, which takes ten times as long on disk.

import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
/** Free space that a long run needs in /dev/shm. Containers have only 64 MB there by default. */
const ENOUGH_BYTES = 6 * 2 ** 30;

/**
 * Creates the folder, removed on exit, and returns environment variables that point to it. Returns {} if there is too little memory:
 * the system's folder works as well, only slower.
 */
export function folderInMemory() {
  if (!hasRoom()) return {};
  const folder = mkdtempSync(`${MEMORY}/psp-`);
  // PostgreSQL runs as another user if the tests run as root.
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
