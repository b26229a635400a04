// Hand-made MQTT 5 packets and a socket for any bytes, for things that client libraries do not do.
import { createConnection, type Socket } from "node:net";

const text = (value: string | Buffer) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
};

function length(n: number): Buffer {
  const bytes: number[] = [];
  do {
    const rest = n >> 7;
    bytes.push((n & 127) | (rest > 0 ? 128 : 0));
    n = rest;
  } while (n > 0);
  return Buffer.from(bytes);
}

const packet = (head: number, ...body: Buffer[]) => {
  const all = Buffer.concat(body);
  return Buffer.concat([Buffer.from([head]), length(all.length), all]);
};

export const rawPackets = {
  /** `properties` are raw bytes. With `isKept`, resumes the stored session. */
  connect: (id: string, password: string, { keepAlive = 60, isKept = false, properties = [] as number[] } = {}) =>
    packet(
      0x10,
      text("MQTT"),
      Buffer.from([5, isKept ? 0xc0 : 0xc2, keepAlive >> 8, keepAlive & 255, properties.length, ...properties]),
      text(id),
      text(id),
      text(password),
    ),
  publish: (topic: string, payload: string | Buffer, messageId = 1) =>
    packet(0x32, text(topic), Buffer.from([messageId >> 8, messageId & 255, 0]), Buffer.from(payload)),
  subscribe: (filter: string, messageId = 1) =>
    packet(0x82, Buffer.from([messageId >> 8, messageId & 255, 0]), text(filter), Buffer.from([1])),
  acknowledge: (messageId: number) => Buffer.from([0x40, 2, messageId >> 8, messageId & 255]),
  unsubscribe: (filter: string, messageId = 1) =>
    packet(0xa2, Buffer.from([messageId >> 8, messageId & 255, 0]), text(filter)),
  ping: () => Buffer.from([0xc0, 0]),
  disconnect: () => Buffer.from([0xe0, 0]),
  /** Only the first byte and remaining length of a packet. */
  head: (first: number, announced: number) => Buffer.concat([Buffer.from([first]), length(announced)]),
};

/** Splits complete packets into first byte and body. */
export function packetsIn(bytes: Buffer): { head: number; body: Buffer }[] {
  const found: { head: number; body: Buffer }[] = [];
  for (let at = 0; at + 1 < bytes.length;) {
    let [size, shift, next] = [0, 0, at + 1];
    for (; ; next += 1, shift += 7) {
      const byte = bytes[next] ?? 0;
      size |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    const from = next + 1;
    if (from + size > bytes.length) break;
    found.push({ head: bytes[at] ?? 0, body: bytes.subarray(from, from + size) });
    at = from + size;
  }
  return found;
}

export type RawSocket = {
  socket: Socket;
  received: () => Buffer;
  closed: Promise<void>;
  send(bytes: Buffer): void;
};

export async function openRawSocket(port: number): Promise<RawSocket> {
  const socket = createConnection({ port, host: "127.0.0.1" });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((done) => socket.once("close", () => done()));
  await new Promise<void>((done) => socket.once("connect", () => done()));
  return { socket, closed, received: () => Buffer.concat(chunks), send: (bytes) => void socket.write(bytes) };
}
