// Measures the time until the last of ten thousand displays shows a change, against a bare broadcast and the promised second.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { WebSocket } from "ws";
import { openSockets, waitForMessage } from "./live.bench.ts";
import { median, type BenchRow } from "./load.ts";
import { createProduct, freePort, signIn } from "./product.ts";

/** Sockets that connect at the same time. Limited because the accept queue is short. */
const atOnce = 250;
/** The product promises that displays show a change within a second. */
const promisedPerSecond = 1;

/** Our side includes the change itself: HTTP, transaction, audit row and replay of the counts. The baseline only broadcasts. */
export async function benchDisplays(rounds: number, displays: number, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api", SOCKETS_PER_SESSION: "100000", SOCKETS_PER_ACCOUNT: "100000" });
  await product.start();
  const api = await signIn(product.url);
  const owner = (await api.call<{ _id: string }>("GET", "/api/auth/user"))._id;
  const place = { name: "displays bench", owner, location: { timezone: "Europe/Berlin" } };
  const { _id } = await api.call<{ _id: string }>("POST", "/api/measurement", place);
  await api.call("PUT", `/api/measurement/${_id}/licenses`, { occupancyMeasurement: true });
  await api.call("POST", "/api/sensor", { _id: "02:00:00:0D:00:01", owner, type: "APS" });
  await api.call("PUT", "/api/sensor/02:00:00:0D:00:01", { measID: _id });
  const applications = [{ type: "ps-occupancy-app", enabled: true, settings: { maxObjects: 1000 } }];
  await api.call("PUT", `/api/measurement/${_id}`, { applications });
  const port = await freePort();
  const bare = spawn(process.execPath, [join(import.meta.dirname, "baselines/bare-ws.ts"), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(bare.stdout, "data");

  let n = 0;
  const correct = () => {
    const count = (n += 1);
    return {
      marker: `"count":${count},`,
      send: () => api.call("POST", `/api/measurement/${_id}/occupancy/corrections`, { count }),
    };
  };
  const ours = await timeOf(
    rounds,
    displays,
    `${product.url.replace("http", "ws")}/live/occupancy/${_id}?token=${api.token}`,
    correct,
  );
  const baseline = await timeOf(rounds, displays, `ws://127.0.0.1:${port}`, (all) => {
    const marker = `bare ${(n += 1)}!`;
    return { marker, send: async () => all[0]?.send(JSON.stringify({ marker, filler: "x".repeat(100) })) };
  });
  bare.kill();
  await product.end();
  const call = `displays, last of ${displays} reached`;
  tell({ call, ours: 1000 / ours, baseline: 1000 / baseline, unit: "1/s", goal: null });
  tell({ call: `${call}, as promised`, ours: 1000 / ours, baseline: promisedPerSecond, unit: "1/s", goal: 1 });
}

/** Median time in ms until the change has reached the last socket. */
async function timeOf(
  rounds: number,
  sockets: number,
  address: string,
  next: (all: WebSocket[]) => { marker: string; send: () => Promise<unknown> },
): Promise<number> {
  const all: WebSocket[] = [];
  while (all.length < sockets) all.push(...(await openSockets(address, Math.min(atOnce, sockets - all.length))));
  const samples: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { marker, send } = next(all);
    const from = performance.now();
    const reached = Promise.all(all.map((socket) => waitForMessage(socket, marker)));
    await send();
    await reached;
    samples.push(performance.now() - from);
  }
  for (const socket of all) socket.terminate();
  return median(samples);
}
