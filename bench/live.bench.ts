// Measures the live channel: the time until a change has reached the last of many sockets, against a bare broadcast, and the
// sockets opened per second.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { WebSocket } from "ws";
import { hashToken, randomToken } from "../server/src/kit/tokens.ts";
import { withDatabase } from "./database.ts";
import { median, measureAlternately, type BenchRow } from "./load.ts";
import { createProduct, freePort, signIn } from "./product.ts";

/** Sockets that are opened at once. */
const atOnce = 500;
const samplesPerRound = 5;
const warmUpRounds = 20;

/** `greeting`: in the first message of a socket, which gets no change before. */
type Sockets = { addresses: string[]; greeting?: string; trigger(marker: string): unknown };

/**
 * Each of our sockets has its own session. Our side includes the change itself: HTTP, transaction, audit row, and a permission check
 * per socket. The baseline only broadcasts. The sides take turns, because a process may not open twice as many sockets.
 */
export async function benchLive(
  rounds: number,
  sizes: readonly number[],
  tell: (row: BenchRow) => void,
): Promise<void> {
  const most = Math.max(...sizes);
  const limit = String(most + 100);
  const product = await createProduct({ PARTS: "api", SOCKETS_PER_SESSION: limit, SOCKETS_PER_ACCOUNT: limit });
  await product.start();
  const api = await signIn(product.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { _id } = await api.call<{ _id: string }>("POST", "/api/measurement", { name: "live bench", owner: me._id });
  const databaseUrl = await product.databaseUrl();
  const bare = await startBaseline("bare-ws.ts");
  const committed = await startBaseline("committed-ws.ts", databaseUrl);

  const tokens = await copySession(databaseUrl, api.token, most);
  const addresses = tokens.map((token) => `${product.url.replace("http", "ws")}/live?token=${token}`);
  const bareAddresses = tokens.map(() => bare.address);
  const teller = new WebSocket(bareAddresses[0] ?? "");
  await once(teller, "open");
  const ours = {
    addresses,
    greeting: '"hello"',
    trigger: (name: string) => api.call("PUT", `/api/measurement/${_id}`, { name }),
  };
  const theirs = {
    addresses: bareAddresses,
    trigger: (marker: string) => teller.send(messageOf(marker)),
  };
  const durable = {
    addresses: tokens.map(() => committed.address),
    trigger: (marker: string) =>
      fetch(committed.address.replace("ws", "http"), { method: "PUT", body: messageOf(marker) }),
  };
  const few = sizes[0] ?? 0;
  const measure = (times: number, n: number, baseline: Sockets = theirs) =>
    measureAlternately(
      times,
      () => reachAll(ours, n),
      () => reachAll(baseline, n),
    );
  // All sides compile and optimize their code during the first hundred changes.
  await measure(warmUpRounds, few);
  await measure(warmUpRounds, few, durable);
  for (const n of sizes) {
    // A rate instead of a time, so that more is better in every row.
    const times = await measure(rounds, n);
    const call = `live, last of ${n.toLocaleString("en")} sockets reached`;
    tell({ call, ours: 1000 / times.ours, baseline: 1000 / times.baseline, unit: "1/s", goal: n === few ? 0.5 : null });
  }
  // The same against a baseline that also commits.
  const times = await measure(rounds, few, durable);
  const call = `live, last of ${few.toLocaleString("en")} sockets, baseline also commits`;
  tell({ call, ours: 1000 / times.ours, baseline: 1000 / times.baseline, unit: "1/s", goal: null });
  const opened = await measureAlternately(
    rounds,
    () => openRate(addresses.slice(0, few)),
    () => openRate(bareAddresses.slice(0, few)),
  );
  tell({ call: "connections of consoles", ...opened, unit: "conn/s", goal: 0.8 });
  teller.terminate();
  for (const { stop } of [bare, committed]) stop();
  await product.end();
}

const messageOf = (marker: string) => JSON.stringify({ marker, filler: "x".repeat(600) });

async function startBaseline(file: string, ...args: string[]) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, "baselines", file), String(port), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return { address: `ws://127.0.0.1:${port}`, stop: () => child.kill() };
}

/** Median time in ms until a change has reached the last of `n` sockets. */
async function reachAll({ addresses, greeting, trigger }: Sockets, n: number): Promise<number> {
  const all: WebSocket[] = [];
  for (let from = 0; from < n; from += atOnce)
    all.push(...(await openEach(addresses.slice(from, Math.min(n, from + atOnce)), greeting)));
  const time = await measureReach(all, trigger);
  for (const socket of all) socket.terminate();
  return time;
}

/** Median time in ms until every socket has got what `trigger` sends or changes. Leaves out the first time, right after the opening. */
export async function measureReach(all: readonly WebSocket[], trigger: Sockets["trigger"]): Promise<number> {
  const samples: number[] = [];
  for (let sample = 0; sample <= samplesPerRound; sample += 1) {
    const marker = `live ${(markers += 1)}!`;
    const from = performance.now();
    const reached = Promise.all(all.map((socket) => waitForMessage(socket, marker)));
    await trigger(marker);
    await reached;
    samples.push(performance.now() - from);
  }
  return median(samples.slice(1));
}
let markers = 0;

/** Creates `n` more sessions like the one with this token, without a login for each, and returns their tokens. */
function copySession(databaseUrl: string, token: string, n: number): Promise<string[]> {
  const tokens = Array.from({ length: n }, randomToken);
  return withDatabase(databaseUrl, async (db) => {
    await db.query(
      `insert into session (id, token_hash, account_id, credential_id, created_at, last_used_at, expires_at, user_agent)
       select gen_random_uuid(), hash, account_id, credential_id, created_at, last_used_at, expires_at, user_agent
       from session, unnest($1::bytea[]) hash where token_hash = $2`,
      [tokens.map(hashToken), hashToken(token)],
    );
    return tokens;
  });
}

export const openSockets = (address: string, n: number) => openEach(Array.from({ length: n }, () => address));

async function openEach(addresses: readonly string[], greeting?: string): Promise<WebSocket[]> {
  return Promise.all(
    addresses.map(async (address) => {
      const socket = new WebSocket(address, { perMessageDeflate: false });
      const greeted = greeting === undefined ? null : waitForMessage(socket, greeting);
      await once(socket, "open");
      await greeted;
      return socket;
    }),
  );
}

async function openRate(addresses: readonly string[]): Promise<number> {
  const from = performance.now();
  const sockets = await openEach(addresses);
  const rate = addresses.length / ((performance.now() - from) / 1000);
  for (const socket of sockets) socket.terminate();
  return rate;
}

export function waitForMessage(socket: WebSocket, marker: string): Promise<void> {
  return new Promise((resolve) => {
    const listen = (data: Buffer) => {
      if (!data.toString().includes(marker)) return;
      socket.off("message", listen);
      resolve();
    };
    socket.on("message", listen);
  });
}
