// Tests that upgrades are refused, never left hanging, before their paths are open and after they are shut.
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createWorld } from "../testing/world.ts";
import { createUpgradeGuard } from "./upgrade.ts";

const rest = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** Sends the start of an upgrade request; `answer` sends the rest and returns the status line of the response. */
async function halfWay(
  port: number,
  path: string,
  allowHalfOpen = false,
): Promise<{ socket: Socket; answer(): Promise<string> }> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n`);
  return {
    socket,
    async answer() {
      socket.write(`${rest.join("\r\n")}\r\n\r\n`);
      const [chunk] = (await once(socket, "data")) as [Buffer];
      return chunk.toString().split("\r\n")[0] ?? "";
    },
  };
}

test("a closed path is refused with 503, an unknown one with 404", async () => {
  const server = createServer();
  const guard = createUpgradeGuard(server, new Set(["/door"]));
  server.on("upgrade", ({ url }, stream) => {
    if (url === "/door") stream.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string) => (await halfWay(port, path)).answer();
  expect(await ask("/door")).toBe("HTTP/1.1 503 Service Unavailable");
  expect(await ask("/else?a=/door")).toBe("HTTP/1.1 404 Not Found");
  guard.open("/door");
  expect(await ask("/door")).toBe("HTTP/1.1 101 Switching Protocols");
  guard.shut("/door");
  expect(await ask("/door")).toBe("HTTP/1.1 503 Service Unavailable");
  await new Promise((resolve) => server.close(resolve));
});

test("a refused client that keeps the connection open is cut off", async () => {
  const server = createServer();
  createUpgradeGuard(server, new Set());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const [silent, talking] = [await halfWay(port, "/", true), await halfWay(port, "/", true)];
  for (const one of [silent, talking]) expect(await one.answer()).toBe("HTTP/1.1 404 Not Found");
  talking.socket.write("Is anybody there?");
  await new Promise((resolve) => server.close(resolve));
  for (const { socket } of [silent, talking]) socket.destroy();
});

test("upgrades during the stop are refused, and the stop completes", async () => {
  const world = await createWorld({ env: { PARTS: "api,gateway" } });
  const port = Number(new URL(world.url).port);
  const asking = [await halfWay(port, `/live?token=${world.root.token}`), await halfWay(port, "/device/tunnel")];
  for (let n = 0; n < 2; n += 1) expect((await fetch(`${world.url}/health`)).status).toBe(200);
  const witness = new WebSocket(`${world.url.replace("http", "ws")}/live?token=${world.root.token}`);
  await once(witness, "open");
  const stopped = world.stop();
  const [goodbye] = (await once(witness, "close")) as [CloseEvent];
  expect(goodbye.code).toBe(1001);
  for (const one of asking) expect(await one.answer()).toBe("HTTP/1.1 503 Service Unavailable");
  await stopped;
});
