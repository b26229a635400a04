// Kills server, PostgreSQL or both at random moments during writes over MQTT and REST, then compares acknowledged with stored
// data. Nothing may be lost or duplicated. `--kills 20 --devices 8 --seed 1 [--negative|--forgetful]`.
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { downFilter, upTopic } from "@psp/contract/device/device-topics.ts";
import { ackSchema } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { connectAsync, type IClientOptions, type MqttClient } from "mqtt";
import { type Progress, startBatchWriters } from "./crash-batches.ts";
import { startReplacementWriters } from "./crash-replacements.ts";
import { enrolSensor } from "../enrol.ts";
import { type Api, createProduct, type Product, signIn } from "../product.ts";

const { values: flags } = parseArgs({
  options: {
    kills: { type: "string", default: "20" },
    devices: { type: "string", default: "8" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** Disables synchronous commits; the campaign must then detect losses. */
    negative: { type: "boolean", default: false },
    /** Removes change numbers; the campaign must then detect batches that overwrite later changes. */
    forgetful: { type: "boolean", default: false },
  },
});

let state = Number(flags.seed) || 1;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const intervalMs = 300_000;
/** Far in the past, so that no record lies in the future. */
const firstStart = Date.UTC(2020, 0, 1);

type Device = { id: string; password: string; next: number; acked: number; client: MqttClient | null; stop: boolean };

/** Derived from the device and the record number, so that the ledger needs to store only numbers. */
const countOf = (device: number, q: number) => ({ in: (q * 7 + device) % 50, out: (q * 3 + device) % 40 });

async function enrol(product: Product, token: string, index: number): Promise<Device> {
  const id = toMac(0x0a00_0000_0010 + index);
  const { mqtt } = await enrolSensor(product.url, token, id);
  return { id, password: mqtt.password, next: 1, acked: 0, client: null, stop: false };
}

/** Sends records, at most 400 of them unacknowledged, and logs the acknowledgments in the ledger. */
async function runDevice(product: Product, device: Device, index: number, ledger: string): Promise<void> {
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
      const client = await connectAsync(`mqtt://127.0.0.1:${product.mqttPort}`, options, false);
      device.client = client;
      client.on("error", () => client.end(true));
      const closed = new Promise<never>((_, reject) => client.once("close", () => reject(new Error("closed"))));
      closed.catch(() => undefined);
      client.on("message", (topic, payload) => {
        if (!topic.endsWith("/dn/ack")) return;
        const ack = ackSchema.parse(JSON.parse(payload.toString()));
        if (ack.ep !== "crash" || ack.upTo <= device.acked || ack.holes.length > 0) return;
        // Flushed to disk before it counts as acknowledged, because the ledger must survive all kills.
        appendFileSync(ledger, `mqtt ${index} ${ack.upTo}\n`, { flush: true });
        device.acked = ack.upTo;
      });
      const birth = { online: true, sid: `s${device.acked}`, n: 1, ep: "crash", seq: { first: 1, next: device.next } };
      await Promise.race([client.subscribeAsync(downFilter(device.id), { qos: 1 }), closed]);
      await Promise.race([
        client.publishAsync(upTopic(device.id, "state"), JSON.stringify(birth), { qos: 1, retain: true }),
        closed,
      ]);
      // After a crash, unacknowledged records are sent again with the same numbers.
      device.next = device.acked + 1;
      // A pending publish never settles after the connection breaks.
      await Promise.race([stream(client, device, index), closed]);
    } catch {
      // The server is down; the next round reconnects.
    }
    device.client?.end(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function stream(client: MqttClient, device: Device, index: number): Promise<void> {
  let lastProgress = Date.now();
  let seen = device.acked;
  while (!device.stop && client.connected) {
    if (device.acked > seen) [seen, lastProgress] = [device.acked, Date.now()];
    if (Date.now() - lastProgress > 3000) device.next = device.acked + 1;
    if (device.next - device.acked > 400) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (!client.connected || Date.now() - lastProgress > 8000) return;
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
    await client.publishAsync(
      upTopic(device.id, "fill"),
      JSON.stringify({ v: 1, ep: "crash", sent: Date.now(), recs }),
      { qos: 1 },
    );
    device.next += recs.length;
  }
}

/** Creates locations with idempotency keys. Repeats each call until it gets a response, then logs the location. */
async function runRest(
  product: Product,
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
        break;
      } catch {
        if (stopped()) return;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
  }
}

async function verify(api: Api, devices: Device[], ledger: string) {
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

const enoughWithinMs = 120_000;
/** Number of changes during batches after which a product without change numbers has lost one. */
const enoughRisked = 20;

/** What has not happened yet. Without it, a campaign that finds no loss proves nothing. */
function findMissing(records: number, locations: number, { late, risked }: Progress): string[] {
  const missing = [
    records === 0 && "no record was acknowledged",
    locations === 0 && "no location was acknowledged",
    !flags.forgetful && late === 0 && "no batch met a sensor that was changed meanwhile",
    flags.forgetful && risked < enoughRisked && `only ${risked} changes were made during a batch`,
  ];
  return missing.filter((one) => one !== false);
}

/** Lets the writers go on until nothing is missing. How long that takes depends on the machine. */
async function waitForEnough(findAllMissing: () => string[]): Promise<string[]> {
  const from = performance.now();
  await pause(1500);
  while (findAllMissing().length > 0 && performance.now() - from < enoughWithinMs) await pause(100);
  return findAllMissing();
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Killed in turn, so that three kills cover all of them. */
const victims = ["server", "postgres", "both"] as const;

async function main(): Promise<number> {
  const product = await createProduct(flags.negative ? { PGOPTIONS: "-c synchronous_commit=off" } : {});
  await product.start();
  const api = await signIn(product.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const made = await api.call<{ token: string }>("POST", "/api/init_token", { name: "crash", owner: me._id });
  const count = Number(flags.devices);
  const devices = await Promise.all(Array.from({ length: count }, (_, index) => enrol(product, made.token, index)));
  const ledger = join(product.dataDir, "ledger");
  appendFileSync(ledger, "");

  let stopped = false;
  const isForgetful = flags.forgetful;
  const tally = { locations: 0 };
  const fleet = await startBatchWriters(product, random, () => stopped, { forgetful: isForgetful });
  const swaps = await startReplacementWriters(product, me._id, random, () => stopped);
  const writers = [
    ...fleet.writers,
    ...swaps.writers,
    ...devices.map((device, index) => runDevice(product, device, index, ledger)),
    ...[1, 2, 3, 4].map((writer) => runRest(product, me._id, writer, ledger, () => stopped, tally)),
  ];
  const recoveries: number[] = [];
  const from = Math.floor(random() * victims.length);
  for (let round = 1; round <= Number(flags.kills); round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300 + random() * 1500));
    const victim = victims[(round + from) % victims.length] ?? "both";
    await product.kill(victim);
    const tookMs = victim === "postgres" ? await product.untilHealthy() : await product.start();
    recoveries.push(tookMs);
    process.stdout.write(`kill ${round}: ${victim}, back after ${Math.round(tookMs)} ms\n`);
  }
  const missing = await waitForEnough(() =>
    findMissing(Math.max(...devices.map(({ acked }) => acked)), tally.locations, fleet.progress()),
  );
  stopped = true;
  for (const device of devices) device.stop = true;
  await Promise.all(writers);
  const outcome = await verify(await signIn(product.url), devices, ledger);
  const sensors = await fleet.verify();
  const swapped = { doubled: 0, ...(await swaps.verify()) };
  recoveries.sort((a, b) => a - b);
  const median = Math.round(recoveries[Math.floor(recoveries.length / 2)] ?? 0);
  process.stdout.write(
    `seed ${flags.seed}: ${flags.kills} kills, ${outcome.records} records and ${outcome.locations} locations acknowledged, ` +
      `${outcome.lost} lost, ${outcome.doubled} doubled, ${outcome.wrong} wrong; recovery median ${median} ms, max ${Math.round(recoveries.at(-1) ?? 0)} ms\n`,
  );
  process.stdout.write(
    `sensors: ${sensors.changes} changes and ${sensors.batches} batches, ${sensors.late} sensors changed meanwhile, ` +
      `${sensors.lost} lost, ${sensors.doubled} doubled, ${sensors.wrong} wrong\n`,
  );
  process.stdout.write(
    `replacements: ${swapped.replacements} acknowledged, ${swapped.undone} undone, ${swapped.lost} lost, ${swapped.wrong} half done\n`,
  );
  await product.end();
  if (missing.length > 0) {
    process.stderr.write(
      `Nothing is proved: ${missing.join(", ")} within ${enoughWithinMs / 1000} s after the last kill\n`,
    );
    return 1;
  }
  if (isForgetful) return sensors.lost > 0 ? 0 : 1;
  if (flags.negative) return outcome.lost + sensors.lost > 0 ? 0 : 1;
  return [outcome, sensors, swapped].every(({ lost, doubled, wrong }) => lost + doubled + wrong === 0) ? 0 : 1;
}

process.exitCode = await main();
