// Keeps many count pages open while a fleet sends counts. Every page must show a record soon after it is stored, and must only
// get messages about its own counts. `--pages 2000 --records 1000 --seconds 60`. Each page shows one location with one sensor.
import { parseArgs } from "node:util";
import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { upTopic } from "@psp/contract/device/device-topics.ts";
import { connectAsync, type MqttClient } from "mqtt";
import pg from "pg";
import { WebSocket } from "ws";
import { createProduct, signIn } from "../product.ts";

const { values: flags } = parseArgs({
  options: {
    pages: { type: "string", default: "2000" },
    records: { type: "string", default: "1000" },
    seconds: { type: "string", default: "60" },
  },
});
const pages = Number(flags.pages);
const perSecond = Number(flags.records);
const seconds = Number(flags.seconds);

const perBatch = 5;
const minute = 60_000;
/** Minimum interval between two refetches of a page, in ms. The first one is immediate. */
const restMs = 1500;
const limitMs = 2000;

const product = await createProduct({ SOCKETS_PER_SESSION: "100000", SOCKETS_PER_ACCOUNT: "100000" });
await product.start();
const failures: string[] = [];
const expect = (what: string, holds: boolean, seen: unknown) => {
  console.log(`${holds ? "ok" : "FAILED"}: ${what} (${String(seen)})`);
  if (!holds) failures.push(what);
};

type Device = { id: string; place: string; client: MqttClient; sent: number; people: number };

/** A simulated page, which refetches its counts after a message. */
type Page = {
  place: string;
  socket: WebSocket;
  /** Acknowledged totals that the page doesn't show yet. */
  due: { people: number; at: number }[];
  asking: boolean;
  again: boolean;
  askedAt: number;
  shown: number;
  frames: number;
  foreign: number;
};

const secret = "campaign-device-secret-0123456789";
const token = (await signIn(product.url)).token;
const devices = await plant();
const shown = new Map<string, Page>();
for (const { place } of devices) shown.set(place, await openPage(place));
console.log(`${pages} pages are open, ${devices.length} devices connected`);

const latencies: number[] = [];
let requests = 0;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const [today, before] = [0, 1].map((days) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10));
const start = Math.floor(Date.now() / minute) * minute - 14 * 60 * minute;

const turnMs = (devices.length * perBatch * 1000) / perSecond;
const until = performance.now() + seconds * 1000;
await Promise.all(
  devices.map(async (device, index) => {
    await wait((index / devices.length) * turnMs);
    for (let turn = 0; performance.now() < until && turn < 150; turn += 1) {
      const from = performance.now();
      await send(device);
      await wait(Math.max(0, turnMs - (performance.now() - from)));
    }
  }),
);
const sent = devices.reduce((sum, { sent: n }) => sum + n, 0);
await wait(limitMs + 1000);

const sorted = latencies.toSorted((a, b) => a - b);
const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? Number.NaN);
const all = [...shown.values()];
const late = all.filter(({ due }) => due.length > 0).length;
const frames = all.reduce((sum, page) => sum + page.frames, 0);
console.log(`${sent} records in ${seconds} s, ${frames} messages to pages, ${requests} questions of pages`);
expect("the fleet sent as fast as asked", sent >= perSecond * seconds * 0.9, `${Math.round(sent / seconds)}/s`);
expect("every page shows all that was counted", late === 0, `${late} do not`);
expect(
  `every page is right within ${limitMs} ms`,
  at(1 - 1 / sorted.length) <= limitMs,
  `p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1 - 1 / sorted.length)} ms`,
);
expect(
  "no page got counts that it does not show",
  all.every(({ foreign }) => foreign === 0),
  all.reduce((sum, { foreign }) => sum + foreign, 0),
);

agent.destroy();
for (const { socket } of all) socket.terminate();
for (const { client } of devices) client.end(true);
await product.end();
process.exitCode = failures.length === 0 ? 0 : 1;

async function plant(): Promise<Device[]> {
  const client = new pg.Client({ connectionString: await product.databaseUrl() });
  await client.connect();
  const root = "(select id, path from account where parent_id is null)";
  await client.query(
    `insert into location (id, owner_id, owner_path, name, timezone)
    select ('00000000-0000-7000-a000-' || lpad(n::text, 12, '0'))::uuid, a.id, a.path, 'Shop ' || n, 'UTC' from generate_series(1, $1::int) n, ${root} a`,
    [pages],
  );
  const { rows } = await client.query(
    `with made as (insert into sensor (id, owner_id, owner_path, type, location_id)
      select '02:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'), a.id, a.path, 'APS',
        ('00000000-0000-7000-a000-' || lpad(n::text, 12, '0'))::uuid from generate_series(1, $1::int) n, ${root} a
      returning num, id, location_id),
    known as (insert into device (sensor_num, secret_hash, enrolled_at) select num, sha256($2::bytea), now() from made),
    placed as (insert into sensor_location (sensor_num, from_at, location_id, counts_from)
      select num, now() - interval '30 days', location_id, '-infinity' from made)
    select id, location_id as place from made order by id`,
    [pages, secret],
  );
  await client.end();
  const made: Device[] = [];
  const known = rows as { id: string; place: string }[];
  // In groups of 50, because the server processes births in batches, one every tenth of a second.
  for (let from = 0; from < known.length; from += 50)
    made.push(...(await Promise.all(known.slice(from, from + 50).map(connected))));
  return made;
}

async function connected({ id, place }: { id: string; place: string }): Promise<Device> {
  const wire = id.replaceAll(":", "").toLowerCase();
  const address = `mqtt://127.0.0.1:${product.mqttPort}`;
  const options = { protocolVersion: 5 as const, clientId: wire, username: wire, password: secret, reconnectPeriod: 0 };
  const device = { id, place, client: await connectAsync(address, options), sent: 0, people: 0 };
  const birth = { online: true, sid: "s1", n: 1, ep: "e1", seq: { first: 1, next: 1 } };
  await device.client.publishAsync(upTopic(id, "state"), JSON.stringify(birth), { qos: 1, retain: true });
  return device;
}

async function send(device: Device): Promise<void> {
  const recs = Array.from({ length: perBatch }, (_, n) => {
    const q = device.sent + n + 1;
    const s = start + q * minute;
    const people = 1 + ((q * 7) % 11);
    device.people += people;
    return { q, t: "count", s, e: s + minute, ck: "ok", osd: 0, lines: [{ id: "door", in: people, out: 1 }] };
  });
  device.sent += perBatch;
  const { people } = device;
  await device.client.publishAsync(upTopic(device.id, "data"), JSON.stringify({ v: 1, ep: "e1", recs }), { qos: 1 });
  shown.get(device.place)?.due.push({ people, at: performance.now() });
}

async function openPage(place: string): Promise<Page> {
  const address = `${product.url.replace("http", "ws")}/live?token=${token}&counts=watched`;
  const socket = new WebSocket(address, { perMessageDeflate: false });
  const page: Page = {
    place,
    socket,
    due: [],
    asking: false,
    again: false,
    askedAt: 0,
    shown: 0,
    frames: 0,
    foreign: 0,
  };
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.send(JSON.stringify({ watch: { measIDs: [place], sensorIDs: [], any: false } }));
  socket.on("message", (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as { type: string; obj?: { measID?: string } };
    if (frame.type !== "datapoint") return;
    page.frames += 1;
    if (frame.obj?.measID === place) void refresh(page);
    else page.foreign += 1;
  });
  return page;
}

async function refresh(page: Page): Promise<void> {
  page.again = true;
  if (page.asking) return;
  page.asking = true;
  while (page.again) {
    await wait(Math.max(0, restMs - (performance.now() - page.askedAt)));
    page.again = false;
    page.askedAt = performance.now();
    page.shown = await countsOf(page.place);
    const now = performance.now();
    while (page.due[0] && page.due[0].people <= page.shown) latencies.push(now - (page.due.shift()?.at ?? now));
  }
  page.asking = false;
}

/** Fetches two days of hourly counts, like a location page. */
function countsOf(place: string): Promise<number> {
  requests += 1;
  const path = `/api/v2/counts?filter=meas:${place}&range=${before},${today}`;
  return new Promise((resolve, reject) => {
    const sending = request(product.url + path, { agent, headers: { authorization: `Bearer ${token}` } }, (reply) => {
      let text = "";
      reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
      reply.on("end", () => resolve((JSON.parse(text) as { total: { in: number | null } }).total.in ?? 0));
    });
    sending.on("error", reject);
    sending.end();
  });
}
