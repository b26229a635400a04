// A real socket in front of a mere stream. Node's HTTP/2 writes into streams through a layer that ends the whole process
// with a failed assertion when a stream breaks off at the wrong moment; into sockets it writes without that layer.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import type { Duplex } from "node:stream";

export type SocketPairs = ReturnType<typeof createSocketPairs>;

/** A socket's path may have 107 bytes only. */
const maxFolder = 70;
/** Any other process on this machine that connects here has no secret for any stream. */
const unclaimedMs = 1000;
const wordBytes = 32;

/** Both ends meet at a socket in a folder that no one else may enter, and know each other by a secret that is sent once. */
export function createSocketPairs() {
  const streams = new Map<string, Duplex>();
  const place = createPlace();
  const server = createServer((far) => {
    const unclaimed = setTimeout(() => far.destroy(), unclaimedMs).unref();
    far.on("error", () => far.destroy());
    far.once("close", () => clearTimeout(unclaimed));
    const listen = () => {
      const word = far.read(wordBytes) as Buffer | null;
      if (word === null) return;
      far.off("readable", listen);
      clearTimeout(unclaimed);
      const key = word.toString("hex");
      const stream = streams.get(key);
      streams.delete(key);
      if (stream && !stream.destroyed) join(far, stream);
      else far.destroy();
    };
    far.on("readable", listen);
  });
  server.listen(place.path).unref();

  return {
    /** False for the first moment after the start. */
    isReady: () => server.listening,
    /** A socket, about to be connected, whose far end is the stream; when either breaks off, so does the other. */
    inFrontOf(stream: Duplex): Socket {
      const word = randomBytes(wordBytes);
      const key = word.toString("hex");
      streams.set(key, stream);
      const near = connect(place.path);
      // Before anybody else gets hold of the socket: nothing of theirs can come first.
      near.write(word);
      near.once("close", () => {
        streams.delete(key);
        stream.destroy();
      });
      stream.once("close", () => near.destroy());
      return near;
    },
    stop() {
      server.close(place.leave);
    },
  };
}

function createPlace(): { path: string; leave: () => void } {
  if (process.platform === "win32") return { path: `\\\\.\\pipe\\psp-tunnels-${randomUUID()}`, leave: () => undefined };
  const base = Buffer.byteLength(tmpdir()) < maxFolder ? tmpdir() : "/tmp";
  // Made with mode 0700.
  const folder = mkdtempSync(pathOf(base, "psp-tunnels-"));
  const leave = () => {
    process.off("exit", leave);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", leave);
  return { path: pathOf(folder, "s"), leave };
}

function join(socket: Socket, stream: Duplex): void {
  socket.pipe(stream);
  stream.pipe(socket);
  stream.once("error", () => socket.destroy());
  stream.once("close", () => socket.destroy());
  socket.once("close", () => stream.destroy());
}
