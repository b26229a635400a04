// The device page over tunnel or VPN: files, state, settings and a WebSocket.
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { z } from "zod";
import { wallClock, type Sensor } from "../device/sensor-state.ts";
import { computeTally } from "../counting/tally.ts";
import { parseJson } from "../link/link.ts";
import { pageCss, pageHtml, pageJs } from "./page.html.ts";

const settingsSchema = z.strictObject({ name: z.string().trim().min(1).max(40), led: z.boolean() });
export type PageSettings = z.output<typeof settingsSchema>;

const maxBodyBytes = 4096;
const everyMs = 500;
/** Maximum payload of a WebSocket frame with 16-bit length. */
const maxFrame = 65_535;

const files: Record<string, { type: string; text: string }> = {
  "/": { type: "text/html; charset=utf-8", text: pageHtml },
  "/page.css": { type: "text/css; charset=utf-8", text: pageCss },
  "/page.js": { type: "text/javascript; charset=utf-8", text: pageJs },
};

const editUser = "user-role-edit";
/** The user set by the platform. Without this header, everybody may write. */
const userOf = ({ headers }: Http2ServerRequest): string => String(headers["x-psconnect-user"] ?? editUser);

function stateOf(sensor: Sensor, user: string) {
  const now = sensor.env.clock.now();
  const { lines } = computeTally(sensor.profile, sensor.world, sensor.intervalFrom, now);
  return {
    user,
    facts: {
      "Sensor ID": sensor.id,
      Type: sensor.type,
      Firmware: sensor.fw,
      Clock: new Date(wallClock(sensor)).toISOString(),
      "Running since": new Date(sensor.bootAt).toISOString(),
    },
    counts: Object.fromEntries(
      lines.map(({ id, adult, child }) => [
        sensor.profile.lines.find((line) => line.id === id)?.name ?? id,
        `${adult[0] + child[0]} in, ${adult[1] + child[1]} out`,
      ]),
    ),
    settings: sensor.page,
  };
}

/** Returns false if the request is not for the page. */
export function servePage(sensor: Sensor, request: Http2ServerRequest, reply: Http2ServerResponse): boolean {
  const path = request.url.split("?")[0] ?? "";
  const file = files[path];
  const user = userOf(request);
  if (request.method === "CONNECT") {
    if (path === "/live" && user === editUser) follow(sensor, user, reply);
    else reply.stream.respond({ ":status": 404 }, { endStream: true });
    return true;
  }
  if (file !== undefined && (request.method === "GET" || request.method === "HEAD")) {
    reply.writeHead(200, { "content-type": file.type, "cache-control": "no-cache" }).end(file.text);
    return true;
  }
  if (path === "/status" && request.method === "GET") {
    answer(reply, 200, stateOf(sensor, user));
    return true;
  }
  if (path !== "/settings" || request.method !== "PUT") return false;
  readSettings(request, (settings) => {
    if (user !== editUser) return answer(reply, 403, { error: "This user has read-only access" });
    if (!settings) return answer(reply, 400, { error: "Not valid" });
    sensor.page = settings;
    sensor.env.persist(sensor);
    answer(reply, 200, settings);
  });
  return true;
}

function answer(reply: Http2ServerResponse, status: number, body: unknown): void {
  if (reply.stream.destroyed) return;
  reply
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(body));
}

function readSettings(request: Http2ServerRequest, done: (settings: PageSettings | null) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  });
  request.on("end", () => {
    const settings = settingsSchema.safeParse(parseJson(Buffer.concat(chunks).toString()));
    done(bytes <= maxBodyBytes && settings.success ? settings.data : null);
  });
}

/** Sends the state twice a second until either side closes (RFC 8441, RFC 6455). */
function follow(sensor: Sensor, user: string, { stream }: Http2ServerResponse): void {
  stream.respond({ ":status": 200 });
  const send = () => {
    if (!stream.destroyed && stream.writableLength === 0)
      stream.write(textFrame(JSON.stringify(stateOf(sensor, user))));
  };
  send();
  const timer = setInterval(send, everyMs).unref();
  stream.on("data", (chunk: Buffer) => {
    // Answers the browser's close frame.
    if (((chunk[0] ?? 0) & 0x0f) === 8) stream.end(Buffer.from([0x88, 0]));
  });
  stream.once("close", () => clearInterval(timer));
}

function textFrame(text: string): Buffer {
  const body = Buffer.from(text).subarray(0, maxFrame);
  const head =
    body.length < 126
      ? Buffer.from([0x81, body.length])
      : Buffer.from([0x81, 126, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, body]);
}
