// A real socket in front of a mere stream. Node's HTTP/2 writes into streams through a layer that ends the whole process
// with a failed assertion when a stream breaks off at the wrong moment; into sockets it writes without that layer.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type SocketPairs = {
  /** False for the first moment after the start. */
  isReady(): boolean;
  /** A socket, about to be connected, whose far end is the stream; when either breaks off, so does the other. */
  inFrontOf(stream: Duplex): Socket;
  stop(): void;
};

const host = "127.0.0.1";
/** Whoever else on this machine knocks here belongs to no stream. */
const strangerMs = 1000;

export function createSocketPairs(): SocketPairs {
  const streams = new Map<number, Duplex>();
  const arrived = new Map<number, { socket: Socket; unasked: NodeJS.Timeout }>();
  const server = createServer({ noDelay: true }, (socket) => {
    const port = socket.remotePort ?? 0;
    socket.on("error", () => socket.destroy());
    arrived.set(port, { socket, unasked: setTimeout(() => socket.destroy(), strangerMs).unref() });
    socket.once("close", () => arrived.delete(port));
    meet(port);
  });
  server.listen(0, host).unref();

  /** Called from both ends, which hear of the connection each at its own time. */
  function meet(port: number) {
    const [far, stream] = [arrived.get(port), streams.get(port)];
    if (!far || !stream) return;
    streams.delete(port);
    clearTimeout(far.unasked);
    join(far.socket, stream);
  }

  return {
    isReady: () => server.listening,
    inFrontOf(stream) {
      const { port } = server.address() as AddressInfo;
      const near = connect({ port, host, noDelay: true });
      near.once("connect", () => {
        const own = near.localPort ?? 0;
        streams.set(own, stream);
        near.once("close", () => streams.delete(own));
        meet(own);
      });
      near.once("close", () => stream.destroy());
      stream.once("close", () => near.destroy());
      return near;
    },
    stop() {
      server.close();
    },
  };
}

function join(socket: Socket, stream: Duplex): void {
  socket.pipe(stream);
  stream.pipe(socket);
  stream.once("error", () => socket.destroy());
  stream.once("close", () => socket.destroy());
  socket.once("close", () => stream.destroy());
}
