// Writes small files so that a crash leaves either the old or the new content.
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";

export async function writeDurably(file: string, content: string | Buffer): Promise<void> {
  const draft = `${file}.part`;
  const handle = await open(draft, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await renameDurably(draft, file);
}

export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
  if (dirname(from) !== dirname(to)) await syncFolder(dirname(from));
}

/** Makes the names in a folder survive a power loss. Systems that cannot open folders need no such step. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => null);
  try {
    await handle?.sync();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && ["EINVAL", "EPERM", "EISDIR"].includes(String(error.code))))
      throw error;
  } finally {
    await handle?.close();
  }
}
