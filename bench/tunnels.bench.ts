// Measures sensor tunnels: idle memory, time to first byte and throughput, against bare sockets, direct requests and
// http-proxy-3.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttp, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { toMac } from "@psp/contract/kit/mac.ts";
import { WebSocket } from "ws";
import { enrolSensor } from "./enrol.ts";
import { measureAlternately, type BenchRow } from "./load.ts";
import { residentKib } from "./processor-time.ts";
import { createProduct, freePort, signIn } from "./product.ts";
import { largeBytes, servePage } from "./served-page.ts";

type Device = { id: string; wire: string; password: string };

const clicks = 200;

export async function benchTunnels(rounds: number, tunnels: number, tell: (row: BenchRow) => void): Promise<void> {
  const product = await createProduct({ PARTS: "api,gateway" });
  await product.start();
  const api = await signIn(product.url);
  const me = await api.call<{ _id: string }>("GET", "/api/auth/user");
  const { token } = await api.call<{ token: string }>("POST", "/api/init_token", { name: "bench", owner: me._id });
  const devices = await enrolMany(product.url, token, tunnels);

  const before = residentKib(product.pid());
  const sensors = spawn(process.execPath, [join(import.meta.dirname, "paged-sensors.ts"), product.url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  sensors.stdin.end(JSON.stringify(devices));
  await once(sensors.stdout, "data");
  await settled();
  const perTunnel = (residentKib(product.pid()) - before) / tunnels;
  const bare = await bareSockets(tunnels);
  tell({ call: `${tunnels} idle tunnels, memory of each`, ours: perTunnel, baseline: bare, unit: "KiB", goal: null });

  const device = devices[0];
  if (!device) throw new Error("No sensor");
  const visit = await openPage(product.url, api, device);
  const direct = createHttp((request, reply) => servePage(request.url ?? "", reply)).listen(0, "127.0.0.1");
  await once(direct, "listening");
  const directUrl = `http://127.0.0.1:${(direct.address() as AddressInfo).port}`;
  const proxyPort = await freePort();
  const proxy = spawn(
    process.execPath,
    [join(import.meta.dirname, "baselines/bare-proxy.ts"), directUrl, String(proxyPort)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(proxy.stdout, "data");
  const plain = { url: directUrl, headers: {} };
  const proxied = { url: `http://127.0.0.1:${proxyPort}`, headers: {} };

  const first = await measureAlternately(
    rounds,
    () => firstByteP95(visit),
    () => firstByteP95(plain),
  );
  const call = `first byte of a click, p95, among ${tunnels}`;
  // Rates instead of times, so that more is better in every row.
  tell({
    call: `${call}, to direct`,
    ours: 1000 / first.ours,
    baseline: 1000 / first.baseline,
    unit: "1/s",
    goal: null,
  });
  const through = await measureAlternately(
    rounds,
    () => throughput(visit),
    () => throughput(proxied),
  );
  tell({ call: "throughput, to http-proxy-3 alone", ...through, unit: "MiB/s", goal: null });

  proxy.kill();
  direct.close();
  direct.closeAllConnections();
  sensors.kill("SIGKILL");
  await product.end();
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 3000));

async function enrolMany(url: string, token: string, n: number): Promise<Device[]> {
  const devices: Device[] = [];
  while (devices.length < n) {
    const id = toMac(0x0200_0010_0000 + devices.length);
    const { mqtt } = await enrolSensor(url, token, id);
    devices.push({ id, wire: mqtt.username, password: mqtt.password });
  }
  return devices;
}

async function bareSockets(n: number): Promise<number> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(import.meta.dirname, "baselines/bare-ws.ts"), String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const before = residentKib(child.pid ?? null);
  const sockets: WebSocket[] = [];
  while (sockets.length < n) {
    const batch = Array.from(
      { length: Math.min(50, n - sockets.length) },
      () => new WebSocket(`ws://127.0.0.1:${port}`),
    );
    await Promise.all(batch.map((socket) => once(socket, "open")));
    sockets.push(...batch);
  }
  await settled();
  const each = (residentKib(child.pid ?? null) - before) / n;
  for (const socket of sockets) socket.terminate();
  child.kill();
  return each;
}

type Target = { url: string; headers: Record<string, string> };
type Api = Awaited<ReturnType<typeof signIn>>;

async function openPage(url: string, api: Api, { id, wire }: Device): Promise<Target> {
  const body = { func: "getAutoLoginToken", params: { service: "device-hmi", user: "user-role-edit", minutes: 480 } };
  const { result } = await api.call<{ result: string }>("POST", `/api/sensor/${id}/psconnect`, body);
  const host = `${wire}.devices.localhost`;
  const cookie = await new Promise<string>((resolve, reject) => {
    httpRequest(`${url}/?token=${result}`, { headers: { host } }, (reply) => {
      reply.resume();
      resolve(reply.headers["set-cookie"]?.[0]?.split(";", 1)[0] ?? "");
    })
      .on("error", reject)
      .end();
  });
  return { url, headers: { host, cookie } };
}

/** 95th percentile of the time to first byte in ms. */
async function firstByteP95({ url, headers }: Target): Promise<number> {
  const samples: number[] = [];
  for (let n = 0; n < clicks; n += 1) {
    const from = performance.now();
    await new Promise<void>((resolve, reject) => {
      httpRequest(`${url}/`, { headers }, (reply) => {
        if (reply.statusCode !== 200) reject(new Error(`answered ${reply.statusCode}`));
        reply.once("data", () => samples.push(performance.now() - from));
        reply.once("end", resolve);
      })
        .on("error", reject)
        .end();
    });
  }
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * 0.95)] ?? Number.NaN;
}

async function throughput({ url, headers }: Target): Promise<number> {
  const from = performance.now();
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    httpRequest(`${url}/large`, { headers }, (reply) => {
      reply.on("data", (chunk: Buffer) => void (bytes += chunk.length));
      reply.once("end", resolve);
      reply.once("error", reject);
    })
      .on("error", reject)
      .end();
  });
  if (bytes !== largeBytes) throw new Error(`${bytes} bytes arrived`);
  return bytes / 1024 / 1024 / ((performance.now() - from) / 1000);
}
