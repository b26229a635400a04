// Test fixture: a location with the occupancy app, its sensors and its displays.
import { toMac } from "@psp/contract/kit/mac.ts";
import type { OccupancyMessage } from "@psp/contract/occupancy/occupancy.api.ts";
import { xsalsa20poly1305, hsalsa } from "@noble/ciphers/salsa.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { batch, until } from "../testing/devices/device-world.ts";
import { connectSensor, type RemoteSensor } from "../testing/devices/remote-sensor.ts";
import type { JsonObject, Person, World } from "../testing/world.ts";

let lastSensor = 0;
export const makeSensorId = (): string => toMac(0x0200_000c_0000 + (lastSensor += 1));

const zone = "Europe/Berlin";

export async function createLicensedLocation(world: World, owner: Person, more: JsonObject = {}): Promise<string> {
  const body = { name: "Harbour Stores", owner: owner.id, location: { timezone: zone }, ...more };
  const { id } = await world.call(owner, "POST", "/api/measurement", { body });
  const licenses = { body: { occupancyMeasurement: true } };
  expect((await world.call(world.root, "PUT", `/api/measurement/${id}/licenses`, licenses)).status).toBe(200);
  return id;
}

export async function connectSensorsAt(
  world: World,
  owner: Person,
  measID: string,
  n: number,
): Promise<RemoteSensor[]> {
  const made: RemoteSensor[] = [];
  for (let index = 0; index < n; index += 1) {
    const sensor = await connectSensor(world, owner, makeSensorId());
    expect((await world.call(owner, "PUT", `/api/sensor/${sensor.id}`, { body: { measID } })).status).toBe(200);
    made.push(sensor);
  }
  return made;
}

export function appWith(settings: JsonObject, enabled = true): JsonObject {
  return { applications: [{ type: "ps-occupancy-app", enabled, settings }] };
}

export async function enableDisplay(world: World, owner: Person, id: string, settings: JsonObject): Promise<void> {
  const body = appWith({ maxObjects: 10, ...settings });
  const reply = await world.call(owner, "PUT", `/api/measurement/${id}`, { body });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
}

export type Display = {
  socket: WebSocket;
  messages: OccupancyMessage[];
  closed: Promise<number>;
  shows(fits: Partial<OccupancyMessage["obj"]>): Promise<OccupancyMessage>;
};

/** Opens a display, or returns the HTTP status of the refusal. */
export async function tryOpenDisplay(
  world: Pick<World, "url">,
  id: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<Display | number> {
  const address = `${world.url.replace("http", "ws")}/live/occupancy/${id}?token=${encodeURIComponent(token)}`;
  const socket = new WebSocket(address, { headers });
  const messages: OccupancyMessage[] = [];
  socket.on("message", (data: Buffer) => messages.push(JSON.parse(data.toString()) as OccupancyMessage));
  const closed = new Promise<number>((resolve) => socket.once("close", (code) => resolve(code)));
  const status = await new Promise<number>((resolve, reject) => {
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (_, response) => {
      socket.on("error", () => undefined);
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.once("error", reject);
  });
  if (status !== 101) return status;
  return {
    socket,
    messages,
    closed,
    async shows(fits) {
      await until(`a display with ${JSON.stringify(fits)}`, () => {
        const last = messages.at(-1);
        return last !== undefined && Object.entries(fits).every(([key, value]) => last.obj[key as "count"] === value);
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}; it was sent ${JSON.stringify(messages.slice(-5))}`);
      });
      return messages.at(-1) as OccupancyMessage;
    },
  };
}

export async function openDisplay(world: Pick<World, "url">, id: string, token: string): Promise<Display> {
  const display = await tryOpenDisplay(world, id, token);
  if (typeof display === "number") throw new Error(`refused with ${display}`);
  return display;
}

let lastQ = 0;
const minuteMs = 60_000;

export function record(endMs: number, ins: number, out: number, more: JsonObject = {}): JsonObject {
  lastQ += 1;
  const lines = [{ id: "l1", name: "Door", in: ins, out }];
  return { q: lastQ, t: "count", s: endMs - 5 * minuteMs, e: endMs, ck: "ok", osd: 0, lines, ...more };
}

export const sendRecords = (sensor: RemoteSensor, ...records: JsonObject[]) => sensor.up("data", batch(records));

export const sendFlow = (sensor: RemoteSensor, since: number, ins: number, out: number) =>
  sensor.up("live", { t: "flow", at: since + 1000, since, lines: [{ id: "l1", in: ins, out }] }, 0);

/** Encrypts like a browser, following libsodium's description of `crypto_box_seal`. */
export function sealForServer(publicKey: string, message: string): string {
  const receiver = new Uint8Array(Buffer.from(publicKey, "base64"));
  const own = x25519.keygen();
  const nonce = blake2b(Buffer.concat([own.publicKey, receiver]), { dkLen: 24 });
  const words = (bytes: Uint8Array) => new Uint32Array(Uint8Array.from(bytes).buffer);
  const key = new Uint32Array(8);
  const sigma = words(new TextEncoder().encode("expand 32-byte k"));
  hsalsa(sigma, words(x25519.getSharedSecret(own.secretKey, receiver)), new Uint32Array(4), key);
  const box = xsalsa20poly1305(new Uint8Array(key.buffer), nonce).encrypt(new TextEncoder().encode(message));
  return Buffer.concat([own.publicKey, box]).toString("base64url");
}
