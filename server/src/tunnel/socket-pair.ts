// Puts a real socket in front of a stream. Node's HTTP/2 writes into plain streams through a layer that crashes the process with a failed
// assertion when a stream breaks at the wrong moment; with sockets it bypasses that layer.
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join as pathOf } from "node:path";
import type { Duplex } from "node:stream";

export type SocketPairs = ReturnType<typeof createSocketPairs>;

/** Maximum bytes of the temporary folder's path, because the path of a Unix socket is limited to 107 bytes. */
const maxFolder = 70;
/** Milliseconds after which a connection that has not sent the secret is closed, since another process may have opened it. */
const unclaimedMs = 10_000;
const wordBytes = 32;

/** Both ends connect through a socket in a private folder and authenticate with a one-time secret. */
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
    isReady: () => server.listening,
    /** Returns a connecting socket whose other end is the stream; if either breaks, so does the other. */
    inFrontOf(stream: Duplex): Socket {
      const word = randomBytes(wordBytes);
      const key = word.toString("hex");
      streams.set(key, stream);
      const near = connect(place.path);
      // Written before the socket is returned, so that the secret is sent first.
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
