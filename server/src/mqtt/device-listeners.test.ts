// Tests that device connections through a load balancer have the devices' addresses, over TCP and TLS.
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasOpenssl, makeCertificate } from "../testing/devices/certificates.ts";
import { findFreePorts } from "../testing/free-ports.ts";
import { createDeviceListeners } from "./device-listeners.ts";

const header = Buffer.from("0d0a0d0a000d0a515549540a2111000cc63364070a000001c350075b", "hex");
const folder = mkdtempSync(join(tmpdir(), "psp-listeners-"));
let ports: number[];
let listeners: ReturnType<typeof createDeviceListeners>;
let took: PromiseWithResolvers<[string | undefined, string]>;
const sockets: Socket[] = [];

function take(stream: Duplex, address: string | undefined): void {
  stream.once("data", (bytes: Buffer) => took.resolve([address, bytes.toString()]));
}

beforeAll(async () => {
  if (hasOpenssl) await makeCertificate(folder, "gateway");
  ports = await findFreePorts(2);
  const [port = 0, tlsPort = 0] = ports;
  const tls = hasOpenssl
    ? { port: tlsPort, cert: join(folder, "gateway.crt"), key: join(folder, "gateway.key") }
    : null;
  const mqtt = { port, tls, isBehindProxy: true } as Parameters<typeof createDeviceListeners>[0]["mqtt"];
  listeners = createDeviceListeners({ mqtt, host: "127.0.0.1" }, take, () => undefined);
  await listeners.open();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await listeners.close();
  rmSync(folder, { recursive: true });
});

function open(index: number): Socket {
  const socket = connect(ports[index] ?? 0, "127.0.0.1");
  sockets.push(socket);
  return socket;
}

test("a connection has the address that the load balancer sent", async () => {
  took = Promise.withResolvers();
  open(0).write(Buffer.concat([header, Buffer.from("CONNECT")]));
  expect(await took.promise).toEqual(["198.51.100.7", "CONNECT"]);
});

test("a connection with a wrong header is closed", async () => {
  const socket = open(0);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write("\r".repeat(28));
  socket.resume();
  await closed;
});

test.skipIf(!hasOpenssl)("a connection over TLS without the header has its own address", async () => {
  took = Promise.withResolvers();
  connectTls({ socket: open(1), rejectUnauthorized: false }).write("CONNECT");
  expect(await took.promise).toEqual(["127.0.0.1", "CONNECT"]);
});

/** Sends the header together with the first bytes of the client, as a load balancer does. */
async function openBehindBalancer(index: number): Promise<Socket> {
  const balancer = createServer((client) => {
    const server = open(index);
    client.once("data", (bytes: Buffer) => {
      server.write(Buffer.concat([header, bytes]));
      client.pipe(server).pipe(client);
    });
  });
  await new Promise<void>((done) => balancer.listen(0, "127.0.0.1", done));
  const socket = connect((balancer.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  socket.once("close", () => balancer.close());
  return socket;
}

test.skipIf(!hasOpenssl)("a connection over TLS has the address that the load balancer sent", async () => {
  took = Promise.withResolvers();
  const socket = await openBehindBalancer(1);
  const secure = connectTls({ socket, rejectUnauthorized: false });
  secure.write("CONNECT");
  expect(await took.promise).toEqual(["198.51.100.7", "CONNECT"]);
});
