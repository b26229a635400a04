// Makes the embedded broker read connections completely, and pause while the device has to wait.
import type { Duplex } from "node:stream";

export type ReadControl = ReturnType<typeof attachReadControl>;

/**
 * Fixes two problems of the broker. Since Node 26, a read returns one chunk and leaves the others without another event. The broker
 * reads once per event, and would wait forever for buffered data. It also keeps reading while earlier packets wait, so that a slow
 * database would fill the memory instead of the device's socket.
 */
export function attachReadControl(stream: Duplex) {
  const readOne = stream.read.bind(stream);
  let pauses = 0;
  stream.read = (size?: number | null) => {
    // Only the broker reads without a size; other reads are internal to the stream.
    if (size !== null) return readOne(size);
    if (pauses > 0) return null;
    const chunks: Buffer[] = [];
    for (let chunk: unknown = readOne(); chunk !== null; chunk = readOne()) chunks.push(chunk as Buffer);
    return chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? null);
  };
  return {
    /** Pauses reading until `resume` was called as often as `pause`. */
    pause() {
      pauses += 1;
    },
    resume() {
      pauses -= 1;
      if (pauses === 0) setImmediate(() => stream.emit("readable"));
    },
  };
}
