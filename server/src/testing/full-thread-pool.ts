// Occupies libuv's thread pool, which reads files, resolves names and compresses.
import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const threads = Number(process.env["UV_THREADPOOL_SIZE"] ?? 4);

/** Runs `work` while the pool is full: nothing that needs the pool makes progress. */
export async function whilePoolIsFull<T>(work: () => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "psp-pool-"));
  const pipes = Array.from({ length: threads }, (_, n) => join(folder, String(n)));
  execFileSync("mkfifo", pipes);
  // Opening a pipe for reading blocks until there is a writer.
  const opened = pipes.map((pipe) => open(pipe, "r"));
  try {
    return await work();
  } finally {
    const writers = pipes.map((pipe) => openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK));
    for (const reader of await Promise.all(opened)) await reader.close();
    writers.forEach((writer) => closeSync(writer));
    await rm(folder, { recursive: true });
  }
}
