// Reads the client's address that a TCP load balancer sends before everything else (PROXY protocol, version 2).
import { SocketAddress, type Socket } from "node:net";

const signature = Buffer.from("\r\n\r\n\0\r\nQUIT\n", "latin1");
const fixedBytes = 16;
/** Two IPv6 addresses take 36 bytes; load balancers may add a few values. */
const maxBytes = 1024;
const limitMs = 10_000;

/** Bytes of one address by family and transport (TCP over IPv4, TCP over IPv6). */
const addressBytes = new Map([
  [0x11, 4],
  [0x21, 16],
]);

/**
 * Consumes the header of a paused socket, and nothing after it. Returns the client's address, or that of the load balancer for its own
 * checks. A connection that begins otherwise, as MQTT and TLS do, has no header: so a load balancer can begin to send it while the
 * process runs. Rejects if the first bytes do not come within ten seconds, or the header is wrong.
 */
export async function readProxyHeader(socket: Socket): Promise<string | undefined> {
  const signal = AbortSignal.timeout(limitMs);
  const first = await readExactly(socket, 1, signal);
  if (first[0] !== signature[0]) {
    socket.unshift(first);
    return socket.remoteAddress;
  }
  const head = Buffer.concat([first, await readExactly(socket, fixedBytes - 1, signal)]);
  const [version = 0, family = 0] = head.subarray(signature.length);
  const length = head.readUInt16BE(14);
  const isKnown = head.subarray(0, signature.length).equals(signature) && (version === 0x20 || version === 0x21);
  if (!isKnown || length > maxBytes) throw new Error("no PROXY protocol of version 2");
  const rest = length === 0 ? Buffer.alloc(0) : await readExactly(socket, length, signal);
  const size = addressBytes.get(family);
  if (version === 0x20 || size === undefined) return socket.remoteAddress;
  if (rest.length < 2 * size + 4) throw new Error("no address in the PROXY protocol");
  return toText(rest.subarray(0, size));
}

function toText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  const address = bytes.toString("hex").replaceAll(/....(?=.)/g, "$&:");
  return new SocketAddress({ address, family: "ipv6" }).address;
}

function readExactly(socket: Socket, size: number, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const fail = () => reject(new Error("the connection ended before its PROXY protocol"));
  function read() {
    const bytes = socket.read(size) as Buffer | null;
    if (bytes === null) return;
    if (bytes.length === size) resolve(bytes);
    else fail();
  }
  const events = { readable: read, end: fail, close: fail, error: fail } as const;
  for (const [event, listener] of Object.entries(events)) socket.on(event, listener);
  signal.addEventListener("abort", fail);
  read();
  return promise.finally(() => {
    for (const [event, listener] of Object.entries(events)) socket.off(event, listener);
    signal.removeEventListener("abort", fail);
  });
}
