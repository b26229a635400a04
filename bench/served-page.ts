// Serves the device page that benchmarks fetch: a small response, or 128 MiB at `/large`.
import type { Writable } from "node:stream";

export const largeBytes = 128 * 1024 * 1024;
const small = Buffer.alloc(512, "x");
const chunk = Buffer.alloc(64 * 1024, "y");

export function servePage(url: string, reply: Writable): void {
  if (url !== "/large") return void reply.end(small);
  let left = largeBytes;
  let isOver = false;
  reply.once("close", () => void (isOver = true));
  reply.on("error", () => undefined);
  const more = () => {
    while (left > 0 && !isOver) {
      left -= chunk.length;
      if (!reply.write(chunk)) return void reply.once("drain", more);
    }
    reply.end();
  };
  more();
}
