// Measures the live channel: the time until a change has reached the last of many sockets, against a bare broadcast, and the
// sockets opened per second.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { WebSocket } from "ws";
import { median, measureAlternately, type BenchRow } from "./load.ts";
import { createProduct, freePort, signIn } from "./product.ts";

/**
 * Our side includes the change itself: HTTP, transaction, audit row, and a permission check per socket. The baseline only
 * broadcasts.
 */
export async function benchLive(rounds: number, sockets: number, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api", SOCKETS_PER_SESSION: "100000", SOCKETS_PER_ACCOUNT: "100000" });
  await product.start();
  const api = await signIn(product.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { _id } = await api.call<{ _id: string }>("POST", "/api/measurement", { name: "live bench", owner: me._id });
  const port = await freePort();
  const bare = spawn(process.execPath, [join(import.meta.dirname, "baselines/bare-ws.ts"), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(bare.stdout, "data");

  const ourAddress = `${product.url.replace("http", "ws")}/live?token=${api.token}`;
  const bareAddress = `ws://127.0.0.1:${port}`;
  const mine = await openSockets(ourAddress, sockets);
  const theirs = await openSockets(bareAddress, sockets);
  let n = 0;
  const change = async (all: WebSocket[], marker: string, trigger: () => unknown) => {
    const from = performance.now();
    const reached = Promise.all(all.map((socket) => waitForMessage(socket, marker)));
    await trigger();
    await reached;
    return performance.now() - from;
  };
  const times = await measureAlternately(
    rounds,
    async () => {
      const samples: number[] = [];
      for (let sample = 0; sample < 5; sample += 1) {
        const name = `live ${(n += 1)}!`;
        samples.push(await change(mine, name, () => api.call("PUT", `/api/measurement/${_id}`, { name })));
      }
      return median(samples);
    },
    async () => {
      const samples: number[] = [];
      for (let sample = 0; sample < 5; sample += 1) {
        const marker = `bare ${(n += 1)}!`;
        samples.push(
          await change(theirs, marker, () => theirs[0]?.send(JSON.stringify({ marker, filler: "x".repeat(600) }))),
        );
      }
      return median(samples);
    },
  );
  // A rate instead of a time, so that more is better in every row.
  tell({
    call: `live, last of ${sockets} sockets reached`,
    ours: 1000 / times.ours,
    baseline: 1000 / times.baseline,
    unit: "1/s",
    goal: null,
  });
  for (const socket of [...mine, ...theirs]) socket.terminate();

  const opened = await measureAlternately(
    rounds,
    () => openRate(ourAddress, sockets),
    () => openRate(bareAddress, sockets),
  );
  tell({ call: "connections of consoles", ...opened, unit: "conn/s", goal: 0.8 });
  bare.kill();
  await product.end();
}

export async function openSockets(address: string, n: number): Promise<WebSocket[]> {
  return Promise.all(
    Array.from({ length: n }, async () => {
      const socket = new WebSocket(address, { perMessageDeflate: false });
      await once(socket, "open");
      return socket;
    }),
  );
}

async function openRate(address: string, n: number): Promise<number> {
  const from = performance.now();
  const sockets = await openSockets(address, n);
  const rate = n / ((performance.now() - from) / 1000);
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
