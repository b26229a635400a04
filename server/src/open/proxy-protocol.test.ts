// Tests the PROXY protocol: addresses, headers in pieces, and senders that speak something else.
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readProxyHeader } from "./proxy-protocol.ts";

const signature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
function header(versionAndCommand: number, family: number, body: readonly number[]): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([signature, Buffer.from([versionAndCommand, family]), length, Buffer.from(body)]);
}
const ports = [0xc3, 0x50, 0x07, 0x5b];
const ipv4 = header(0x21, 0x11, [198, 51, 100, 7, 10, 0, 0, 1, ...ports]);
const ipv6Bytes = [0x20, 0x01, 0x0d, 0xb8, ...Array.from({ length: 11 }, () => 0), 7];
const ipv6 = header(0x21, 0x21, [...ipv6Bytes, ...ipv6Bytes, ...ports]);
/** With a value of the kind that load balancers add, such as a unique id. */
const withMore = header(0x21, 0x11, [198, 51, 100, 7, 10, 0, 0, 1, ...ports, 0x05, 0, 2, 1, 2]);

let server: Server;
let arrived: PromiseWithResolvers<{ address: string | undefined; rest: Buffer } | string>;
beforeAll(async () => {
  server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    readProxyHeader(socket).then(
      (address) => {
        const rest: Buffer[] = [];
        socket.on("data", (bytes: Buffer) => rest.push(bytes));
        socket.on("end", () => arrived.resolve({ address, rest: Buffer.concat(rest) }));
      },
      (error: Error) => {
        socket.destroy();
        arrived.resolve(error.message);
      },
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(() => void server.close());

async function send(pieces: readonly (Buffer | string)[]) {
  arrived = Promise.withResolvers();
  const socket: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.setNoDelay(true);
  socket.on("error", () => undefined);
  for (const piece of pieces) await new Promise<void>((done) => socket.write(piece, () => done()));
  socket.end();
  const outcome = await arrived.promise;
  return typeof outcome === "string" ? outcome : [outcome.address, outcome.rest.toString()];
}

test("the client's address is read, and nothing of what follows", async () => {
  expect(await send([Buffer.concat([ipv4, Buffer.from("CONNECT")])])).toEqual(["198.51.100.7", "CONNECT"]);
  expect(await send([ipv6, "CONNECT"])).toEqual(["2001:db8::7", "CONNECT"]);
  expect(await send([withMore, "CONNECT"])).toEqual(["198.51.100.7", "CONNECT"]);
  expect(await send([...Array.from(ipv6, (byte) => Buffer.from([byte])), "CONNECT"])).toEqual([
    "2001:db8::7",
    "CONNECT",
  ]);
});

test("checks of the load balancer itself, and other families, have its address", async () => {
  expect(await send([header(0x20, 0, []), "x"])).toEqual(["127.0.0.1", "x"]);
  expect(
    await send([
      header(
        0x21,
        0x31,
        Array.from({ length: 216 }, () => 1),
      ),
      "x",
    ]),
  ).toEqual(["127.0.0.1", "x"]);
});

test("a connection without the header has its own address, and loses no byte", async () => {
  expect(await send(["CONNECT"])).toEqual(["127.0.0.1", "CONNECT"]);
  expect(await send(["a", "bc"])).toEqual(["127.0.0.1", "abc"]);
});

test("connections without a whole header are refused", async () => {
  const refused = "no PROXY protocol of version 2";
  expect(await send([Buffer.concat([Buffer.from("\r\n\r\n"), Buffer.alloc(12)])])).toBe(refused);
  expect(await send([Buffer.concat([signature, Buffer.from([0x11, 0x11, 0, 12, ...ports, ...ports, ...ports])])])).toBe(
    refused,
  );
  expect(await send([Buffer.concat([signature, Buffer.from([0x21, 0x11, 0xff, 0xff])])])).toBe(refused);
  expect(await send([header(0x21, 0x11, [198, 51, 100, 7])])).toBe("no address in the PROXY protocol");
  for (const cut of [0, 1, 15, 16, ipv4.length - 1])
    expect(await send([ipv4.subarray(0, cut)])).toBe("the connection ended before its PROXY protocol");
});
