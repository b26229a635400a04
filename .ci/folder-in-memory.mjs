// A folder for temporary files in memory. To copy a database on a disk takes ten times as long, and each test file has one.

import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";

const MEMORY = "/dev/shm";
/** More than a whole `npm run prove` needs. Containers have 64 MB here unless told otherwise. */
const ENOUGH_BYTES = 6 * 2 ** 30;

/**
 * The environment that leads programs to the folder, which goes when this process ends. It is empty where there is too
 * little room: the system's own temporary folder is as good, but slower.
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
