// Makes the embedded broker read a connection wholly, and not at all while the device has to wait.
import type { Duplex } from "node:stream";

export type Valve = ReturnType<typeof fitValve>;

/**
 * Two repairs in one place. Since Node 26 a read answers one chunk and leaves the others without another event; the
 * broker reads once per event and would wait forever for the rest of a packet that lies in the buffer already. And the
 * broker goes on reading while earlier packets wait, so that a slow database would fill the memory instead of the
 * device's socket.
 */
export function fitValve(stream: Duplex) {
  const readOne = stream.read.bind(stream);
  let closed = 0;
  stream.read = (size?: number | null) => {
    // Only the broker asks with null; the others are the stream's own house-keeping.
    if (size !== null) return readOne(size);
    if (closed > 0) return null;
    const chunks: Buffer[] = [];
    for (let chunk: unknown = readOne(); chunk !== null; chunk = readOne()) chunks.push(chunk as Buffer);
    return chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? null);
  };
  return {
    /** Nothing more is read from the connection until as many `open` as `close` were called. */
    close() {
      closed += 1;
    },
    open() {
      closed -= 1;
      if (closed === 0) setImmediate(() => stream.emit("readable"));
    },
  };
}
