// Puts the temporary folder of the tests into memory: each test file copies a database, which takes ten times as long on disk.

import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
/** Free space that a full run needs in /dev/shm. Containers have only 64 MB there by default. */
const ENOUGH_BYTES = 6 * 2 ** 30;

/**
 * Creates a folder that is removed on exit, and returns environment variables that point to it. Returns {} if memory is short, so
 * that tests use the system's slower folder.
 */
export function folderInMemory() {
  if (!hasRoom()) return {};
  const folder = mkdtempSync(`${MEMORY}/psp-`);
  // If the tests run as root, PostgreSQL runs as another user and needs access.
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
