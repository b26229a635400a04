// Writers of crash campaigns: devices and REST clients that log every acknowledgment in a ledger, which is compared with what is stored.
import { randomBytes } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { downFilter, upTopic } from "@psp/contract/device/device-topics.ts";
import { ackSchema } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { enrolSensor } from "../enrol.ts";
import { type Api, type Product, signIn } from "../product.ts";

/** `mqttHost`: that of `url` by default. `paceMs`: pause after each message or call, so that the machine can do other work. */
type Target = Pick<Product, "url" | "mqttPort"> & { mqttHost?: string; paceMs?: number };

const pace = ({ paceMs }: Target) =>
  paceMs === undefined ? Promise.resolve() : new Promise<void>((resolve) => setTimeout(resolve, paceMs));

const intervalMs = 300_000;
/** Sooner than real devices, which wait for 30 s. */
const resendMs = 3_000;
/** Far in the past, so that no record lies in the future. */
export const firstStart = Date.UTC(2020, 0, 1);

export type Device = {
  id: string;
  password: string;
  /** Number of the record to send next; lower than `made` while records are sent again. */
  next: number;
  /** The highest number that was ever sent. */
  made: number;
  acked: number;
  client: MqttClient | null;
  stop: boolean;
};

/** Derived from the device and the record number, so that the ledger needs to store only numbers. */
export const countOf = (device: number, q: number) => ({ in: (q * 7 + device) % 50, out: (q * 3 + device) % 40 });

export async function enrol(product: Target, token: string, index: number): Promise<Device> {
  const id = toMac(0x0a00_0000_0010 + index);
  const { mqtt } = await enrolSensor(product.url, token, id);
  return { id, password: mqtt.password, next: 1, made: 0, acked: 0, client: null, stop: false };
}

/** Sends records, at most 400 of them unacknowledged, and logs the acknowledgments in the ledger. */
export async function runDevice(product: Target, device: Device, index: number, ledger: string): Promise<void> {
  const wire = device.id.replaceAll(":", "").toLowerCase();
  while (!device.stop) {
    try {
      const options: IClientOptions = {
        protocolVersion: 5,
        clientId: wire,
        username: wire,
        password: device.password,
        clean: true,
        reconnectPeriod: 0,
        connectTimeout: 3000,
      };
      // `false` disables the library's retries, which would wait forever if the server is killed before its CONNACK.
      const client = await connectAsync(
        `mqtt://${product.mqttHost ?? new URL(product.url).hostname}:${product.mqttPort}`,
        options,
        false,
      );
      device.client = client;
      client.on("error", () => client.end(true));
      const closed = new Promise<never>((_, reject) => client.once("close", () => reject(new Error("closed"))));
      closed.catch(() => undefined);
      client.on("message", (topic, payload) => {
        if (!topic.endsWith("/dn/ack")) return;
        const ack = ackSchema.parse(JSON.parse(payload.toString()));
        // After a loss, holes can begin with records that the device no longer holds.
        const holes = ack.holes.filter(([, to]) => to > device.acked);
        const upTo = Math.min(ack.upTo, ...holes.map(([from]) => from - 1));
        if (ack.ep !== "crash" || upTo <= device.acked) return;
        // Flushed to disk before it counts as acknowledged, because the ledger must survive all kills.
        appendFileSync(ledger, `mqtt ${index} ${upTo}\n`, { flush: true });
        device.acked = upTo;
      });
      const sid = randomBytes(8).toString("hex");
      const seq = { first: device.acked + 1, next: device.made + 1 };
      const birth = { online: true, sid, n: 1, ep: "crash", seq };
      await Promise.race([client.subscribeAsync(downFilter(device.id), { qos: 1 }), closed]);
      await Promise.race([
        client.publishAsync(upTopic(device.id, "state"), JSON.stringify(birth), { qos: 1, retain: true }),
        closed,
      ]);
      // After a crash, unacknowledged records are sent again with the same numbers.
      device.next = device.acked + 1;
      // A pending publish never settles after the connection breaks.
      await Promise.race([stream(product, client, sid, device, index), closed]);
    } catch {
      // The server is down; the next round reconnects.
    }
    device.client?.end(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stream(product: Target, client: MqttClient, sid: string, device: Device, index: number): Promise<void> {
  let [seen, lastProgress, resendAt] = [device.acked, Date.now(), Date.now() + resendMs];
  while (!device.stop && client.connected) {
    const now = Date.now();
    if (device.acked > seen) [seen, lastProgress, resendAt] = [device.acked, now, now + resendMs];
    if (now > resendAt) [device.next, resendAt] = [device.acked + 1, now + resendMs];
    if (device.next - device.acked > 400) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (!client.connected || now - lastProgress > 8000) return;
      continue;
    }
    const recs = Array.from({ length: 20 }, (_, offset) => {
      const q = device.next + offset;
      const s = firstStart + q * intervalMs;
      return {
        q,
        t: "count",
        s,
        e: s + intervalMs,
        ck: "ok",
        osd: 0,
        lines: [{ id: "l1", ...countOf(index, q) }],
        upS: 300,
      };
    });
    device.made = Math.max(device.made, device.next + recs.length - 1);
    await client.publishAsync(
      upTopic(device.id, "fill"),
      JSON.stringify({ v: 1, sid, ep: "crash", sent: Date.now(), recs }),
      { qos: 1 },
    );
    device.next += recs.length;
    await pace(product);
  }
}

/** Creates locations with idempotency keys. Repeats each call until it gets a response, then logs the location. */
export async function runRest(
  product: Target,
  owner: string,
  writer: number,
  ledger: string,
  stopped: () => boolean,
  tally: { locations: number },
): Promise<void> {
  let api: Api | null = null;
  for (let n = 1; !stopped(); n += 1) {
    const name = `crash ${writer} ${n}`;
    for (;;) {
      try {
        api ??= await signIn(product.url);
        await api.call("POST", "/api/measurement", { name, owner }, { "idempotency-key": name });
        appendFileSync(ledger, `rest ${name}\n`, { flush: true });
        tally.locations += 1;
        await pace(product);
        break;
      } catch {
        if (stopped()) return;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
  }
}

/** Waits while no process is ready after the last fault, or while writers have made too many attempts. */
async function signInAgain(url: string): Promise<Api> {
  for (;;) {
    try {
      return await signIn(url);
    } catch (error) {
      if (!(error instanceof Error) || !/ → (429|503) /.test(error.message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

export async function verify(url: string, devices: Device[], ledger: string) {
  const api = await signInAgain(url);
  const acked = new Map<number, number>();
  const names: string[] = [];
  for (const line of readFileSync(ledger, "utf8").split("\n")) {
    const [kind, ...rest] = line.split(" ");
    if (kind === "mqtt") acked.set(Number(rest[0]), Math.max(acked.get(Number(rest[0])) ?? 0, Number(rest[1])));
    if (kind === "rest") names.push(rest.join(" "));
  }
  const outcome = { records: 0, locations: names.length, lost: 0, doubled: 0, wrong: 0 };
  for (const [index, device] of devices.entries()) {
    const upTo = acked.get(index) ?? 0;
    outcome.records += upTo;
    const points = await api.call<{ startUTC: string; data: { in: number; out: number } }[]>(
      "GET",
      `/data/v2/download/json?filter=sens:${device.id}:counting&from=${new Date(firstStart).toISOString()}`,
    );
    const seen = new Map<number, number>();
    for (const point of points) {
      const q = (Date.parse(point.startUTC) - firstStart) / intervalMs;
      seen.set(q, (seen.get(q) ?? 0) + 1);
      const expected = countOf(index, q);
      if (point.data.in !== expected.in || point.data.out !== expected.out) outcome.wrong += 1;
    }
    for (let q = 1; q <= upTo; q += 1) if (!seen.has(q)) outcome.lost += 1;
    for (const times of seen.values()) if (times > 1) outcome.doubled += 1;
  }
  const stored = new Map<string, number>();
  for (let skip = 0; ; skip += 500) {
    const page = await api.call<{ objects: { name: string }[] }>(
      "GET",
      `/api/v2/measurement?name=crash&limit=500&skip=${skip}`,
    );
    for (const { name } of page.objects) stored.set(name, (stored.get(name) ?? 0) + 1);
    if (page.objects.length < 500) break;
  }
  for (const name of names) if (!stored.has(name)) outcome.lost += 1;
  for (const times of stored.values()) if (times > 1) outcome.doubled += 1;
  return outcome;
}
