// Compares calls with those of another product on the same rows: `npm run bench -- --peer directus`.
import { fillDatabase, type Viewer } from "./dataset.ts";
import { measureReach, openSockets, waitForMessage } from "./live.bench.ts";
import { measureAlternately, type BenchRow, measureRate, type Target } from "./load.ts";
import { type Api, createProduct, signIn } from "./product.ts";
import { copyForPeer } from "./peers/directus.data.ts";
import { installDirectus, type Peer, startDirectus } from "./peers/directus.ts";

export type PeerOptions = {
  sizes: number[];
  rounds: number;
  ms: number;
  batch: number;
  sockets: number;
  only: Set<string>;
};

const conditions = [
  "The peer asks as administrator, the scope as a filter on owner_path: without a license it refuses rules of one's own. In its favour.",
  "It checks no right of any row, keeps no deleted rows, and its stats know no silence. In its favour.",
  "Its live messages are the changed row alone, ours with what hangs on it. In its favour.",
  "Its columns are those of our answers, its indexes ours; cache, telemetry, rate and pressure limits are off.",
  "Of a batch both write a trail for each sensor: ours what changed, the peer an activity and a revision of the whole sensor.",
];

/** The largest batch that the peer handles in reasonable time. */
const peersLargestPart = 10_000;

export async function benchPeer(options: PeerOptions, tell: (row: BenchRow) => void): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  say("Installing the peer, unless it is there; the first time takes minutes …");
  const installed = await installDirectus();
  say(
    `Directus ${installed.version} on Node ${installed.node}; isolated-vm, which no call here uses, ${installed.sandbox}`,
  );
  for (const condition of conditions) say(`- ${condition}`);
  for (const [index, size] of options.sizes.entries()) {
    const product = await createProduct({ PARTS: "api", SOCKETS_PER_SESSION: "100000", SOCKETS_PER_ACCOUNT: "100000" });
    let peer: Peer | undefined;
    try {
      await product.start();
      const databaseUrl = await product.databaseUrl();
      const viewers = await fillDatabase(databaseUrl, size);
      peer = await startDirectus(await copyForPeer(databaseUrl));
      const api = await signIn(product.url);
      if (options.only.has("lists")) await lists(product.url, peer, viewers, options, tell);
      if (options.only.has("live") && index === 0) await live(product.url, api, peer, options, tell);
      if (options.only.has("batch")) await batch(api, peer, size, options, tell);
    } finally {
      await peer?.stop();
      await product.end();
    }
  }
}

type Case = {
  call: string;
  goal: (viewer: string) => number | null;
  ours: string;
  theirs: Record<string, string>;
  clients: number;
};

const expanded = [
  "*",
  ...["id", "name", "is_deleted", "last_seen_at"].map((field) => `owner_id.${field}`),
  ...["id", "name", "is_deleted", "timezone"].map((field) => `location_id.${field}`),
  ...["firmware_id", "firmware_running_id"].flatMap((key) =>
    ["id", "name", "type", "is_deleted"].map((field) => `${key}.${field}`),
  ),
].join(",");

const running = "00000000-0000-7000-b000-000000000001";
const goalOf = (goals: Record<string, number>) => (viewer: string) => goals[viewer] ?? null;

function cases({ name, path, sensors }: Viewer): Case[] {
  const scope = name === "root" ? [] : [{ owner_path: { _starts_with: path } }];
  const f1 = [{ type: { _eq: "PS.C1" } }];
  const f3 = [...f1, { firmware_running_id: { _eq: running } }, { is_connected: { _eq: true } }];
  const asked = (more: object[], rest: Record<string, string>) => {
    const all = [...scope, ...more];
    return { ...(all.length > 0 ? { filter: JSON.stringify({ _and: all }) } : {}), ...rest };
  };
  const page = { fields: expanded, sort: "id", limit: "50" };
  const both = { ...page, meta: "filter_count" };
  const [ourPage, ourBoth] = ["/api/v2/sensor?limit=50", "/api/v2/sensor?limit=50&includeTotals=true"];
  const ourF1 = "sensorType=PS.C1";
  const ourF3 = `${ourF1}&artifactRunningID=${running}&connected=connected`;
  const half = String(Math.floor(sensors / 2));
  const groups = {
    "aggregate[count]": "*",
    "groupBy[0]": "type",
    "groupBy[1]": "running_version",
    "groupBy[2]": "is_connected",
    "groupBy[3]": "license_monitoring",
    limit: "-1",
  };
  const one = (call: string, goal: Case["goal"], ours: string, theirs: Record<string, string>, clients = 8): Case => ({
    call,
    goal,
    ours,
    theirs,
    clients,
  });
  const filtered = goalOf({ root: 2, mid: 5 });
  return [
    one("page", goalOf({ mid: 2, leaf: 5 }), ourPage, asked([], page)),
    one("page + total", goalOf({ root: 8 }), ourBoth, asked([], both)),
    one("page + total, 1 filter", filtered, `${ourBoth}&${ourF1}`, asked(f1, both)),
    one("page + total, 3 filters", filtered, `${ourBoth}&${ourF3}`, asked(f3, both)),
    one("page half way down", () => 4, `${ourPage}&skip=${half}`, asked([], { ...page, offset: half }), 1),
    one("stats", () => 5, "/api/v2/sensor/stats", asked([], groups), 1),
    one("all ids", () => 2, "/api/v2/sensor?onlyIDs=true", asked([], { fields: "id", sort: "id", limit: "-1" }), 1),
  ];
}

async function lists(
  url: string,
  peer: Peer,
  viewers: Viewer[],
  { rounds, ms }: PeerOptions,
  tell: (row: BenchRow) => void,
): Promise<void> {
  const size = viewers[0]?.sensors ?? 0;
  for (const viewer of viewers) {
    for (const { call, goal, ours, theirs, clients } of cases(viewer)) {
      const mine = { url: url + ours, headers: { authorization: `Bearer ${viewer.token}` } };
      const other = {
        url: `${peer.url}/items/sensor?${new URLSearchParams(theirs)}`,
        headers: { authorization: `Bearer ${peer.token}` },
      };
      await requireSame(mine, other);
      const measured = await measureAlternately(
        rounds,
        () => measureRate(mine, clients, ms),
        () => measureRate(other, clients, ms),
      );
      const name = `${call} ${viewer.name} (${viewer.sensors.toLocaleString("en")} of ${size.toLocaleString("en")})`;
      tell({ call: name, ...measured, unit: "answers/s", goal: goal(viewer.name) });
    }
  }
}

type Ours = string[] | { objects?: { _id: string }[]; total?: number; totalByType?: { count: number }[] };
type Theirs = { data: { id?: string; count?: string }[]; meta?: { filter_count: number } };

/** Throws unless both return the same data. Also warms both up. */
async function requireSame(mine: Target, other: Target): Promise<void> {
  if (!isSame(await json<Ours>(mine), await json<Theirs>(other)))
    throw new Error(`Not the same answer: ${mine.url} and ${other.url}`);
}

function isSame(ours: Ours, theirs: Theirs): boolean {
  if (Array.isArray(ours)) return sameIds(ours, theirs);
  if (ours.totalByType) return sum(ours.totalByType) === sum(theirs.data);
  const ids = (ours.objects ?? []).map(({ _id }) => _id);
  return sameIds(ids, theirs) && ours.total === theirs.meta?.filter_count;
}

const sum = (counts: { count?: number | string }[]) => counts.reduce((all, { count }) => all + Number(count), 0);

function sameIds(ours: string[], { data }: Theirs): boolean {
  const theirs = new Set(data.map(({ id }) => id));
  return ours.length === theirs.size && ours.every((id) => theirs.has(id));
}

async function json<T>({ url, headers }: Target): Promise<T> {
  const reply = await fetch(url, { headers: headers ?? {} });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${url} → ${reply.status} ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

/** Measures the time from a change of a location's name until the last of many listeners has it. */
async function live(
  url: string,
  api: Api,
  peer: Peer,
  { rounds, sockets }: PeerOptions,
  tell: (row: BenchRow) => void,
): Promise<void> {
  const id = "00000000-0000-7000-a000-000000000001";
  const mine = await openSockets(`${url.replace("http", "ws")}/live?token=${api.token}`, sockets);
  const theirs = await openSockets(`${peer.url.replace("http", "ws")}/websocket?access_token=${peer.token}`, sockets);
  const subscribed = Promise.all(theirs.map((socket) => waitForMessage(socket, '"init"')));
  const fields = ["*"];
  for (const socket of theirs)
    socket.send(JSON.stringify({ type: "subscribe", collection: "location", event: "update", query: { fields } }));
  await subscribed;
  const times = await measureAlternately(
    rounds,
    () => measureReach(mine, (name) => api.call("PUT", `/api/measurement/${id}`, { name })),
    () => measureReach(theirs, (name) => patch(peer, `/items/location/${id}`, { name })),
  );
  for (const socket of [...mine, ...theirs]) socket.terminate();
  // A rate instead of a time, so that more is better in every row.
  const call = `live, last of ${sockets} sockets reached`;
  tell({ call, ours: 1000 / times.ours, baseline: 1000 / times.baseline, unit: "1/s", goal: 5 });
}

/** Changes one field of every second sensor. The peer gets fewer sensors, in one chunk. */
async function batch(
  api: Api,
  peer: Peer,
  size: number,
  { rounds, batch: items }: PeerOptions,
  tell: (row: BenchRow) => void,
): Promise<void> {
  const all = await api.call<string[]>("GET", "/api/v2/sensor?onlyIDs=true", undefined, {}, 120_000);
  const ids = all.filter((_, index) => index % 2 === 0).slice(0, Math.min(items, size / 2));
  const keys = ids.slice(0, peersLargestPart);
  let round = 0;
  const measured = await measureAlternately(
    rounds,
    () => {
      const body = { sensorIDs: ids, changes: { groups: [`group ${(round += 1)}`] } };
      return perSecond(ids.length, async () => {
        const path = "/api/v2/sensor/batch-update";
        const { fail } = await api.call<{ fail: unknown[] }>("PUT", path, body, {}, 300_000);
        if (fail.length > 0) throw new Error(`${fail.length} sensors refused`);
      });
    },
    () => {
      const body = { keys, data: { groups: [`group ${(round += 1)}`] } };
      return perSecond(keys.length, () => patch(peer, "/items/sensor?fields=id&limit=1", body));
    },
  );
  const headers = { authorization: `Bearer ${peer.token}` };
  const last = await json<{ data: { groups: string[] } }>({ url: `${peer.url}/items/sensor/${keys.at(-1)}`, headers });
  if (last.data.groups[0] !== `group ${round}`) throw new Error("The peer has not changed its last sensor");
  const call = `batch of ${ids.length.toLocaleString("en")} / ${keys.length.toLocaleString("en")} (of ${size.toLocaleString("en")})`;
  tell({ call, ...measured, unit: "sensors/s", goal: 10 });
}

async function patch(peer: Peer, path: string, body: object): Promise<void> {
  const reply = await fetch(peer.url + path, {
    method: "PATCH",
    headers: { authorization: `Bearer ${peer.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(300_000),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`PATCH ${path} → ${reply.status} ${text.slice(0, 300)}`);
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return count / ((performance.now() - from) / 1000);
}
