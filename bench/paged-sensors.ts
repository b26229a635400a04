// Runs sensors with tunnels and a device page in a separate process: `node paged-sensors.ts URL`, with credentials as JSON on
// standard input.
import { once } from "node:events";
import { createServer } from "node:http2";
import { createWebSocketStream, WebSocket } from "ws";
import { servePage } from "./served-page.ts";

type Device = { wire: string; password: string };

const atOnce = 50;
const server = createServer((request, reply) => servePage(request.url, reply.stream));
server.on("sessionError", () => undefined);

async function open(url: string, { wire, password }: Device): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${wire}:${password}`).toString("base64")}`;
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/device/tunnel`, {
    headers: { authorization },
    perMessageDeflate: false,
  });
  // Serves HTTP on the tunnel directly. A local socket would need two more handles per tunnel, and this process need not survive
  // broken connections (ADR 0025).
  server.emit("connection", createWebSocketStream(socket));
  await once(socket, "open");
}

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const devices = JSON.parse(Buffer.concat(chunks).toString()) as Device[];
const [, , url = ""] = process.argv;
for (let first = 0; first < devices.length; first += atOnce)
  await Promise.all(devices.slice(first, first + atOnce).map((device) => open(url, device)));
process.stdout.write("ready\n");
