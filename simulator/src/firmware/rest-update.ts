// Updates requested through the REST interface. Downloads are retried while the request is valid; only the next birth
// reports the result.
import { causeOf } from "../link/enrol.ts";
import { bootInto, scaledDuration, installMs, pause } from "./install.ts";
import type { RestUpdate } from "@psp/contract/sensor/sensor.rest.ts";
import type { Sensor } from "../device/sensor-state.ts";

const retryMs = 60_000;
const darkMs = 20_000;
const timeoutMs = 60_000;
const hourMs = 3_600_000;

/** False if another update is in progress. */
export function startRestUpdate(sensor: Sensor, { Packet_url: url, Validity: hours }: RestUpdate): boolean {
  const { rest, env } = sensor;
  if (!rest || rest.update) return false;
  rest.update = { url, until: env.clock.now() + hours * hourMs };
  env.persist(sensor);
  env.log(sensor.id, "update ordered over REST");
  void work(sensor);
  return true;
}

export function resumeRestUpdate(sensor: Sensor): void {
  void work(sensor);
}

async function work(sensor: Sensor): Promise<void> {
  const { rest, env, world } = sensor;
  if (!rest?.update || rest.working) return;
  rest.working = true;
  const { url, until } = rest.update;
  const version = await fetchPacket(sensor, url, until);
  if (sensor.stopped) return;
  if (version !== null) {
    await pause(sensor, scaledDuration(sensor, installMs));
    if (world.update === "power") await sensor.restart("power", scaledDuration(sensor, darkMs));
    while (world.update === "stuck" && !sensor.stopped && env.clock.now() < until) await pause(sensor, retryMs);
    if (sensor.stopped) return;
  }
  if (version === null || world.update === "stuck") {
    rest.update = null;
    rest.working = false;
    env.persist(sensor);
    return env.log(sensor.id, "update given up");
  }
  const before = { fw: sensor.fw, fwSeq: sensor.fwSeq };
  env.installed(sensor.id, url, version);
  // Persisted together with the new version, so that it isn't installed twice.
  rest.update = null;
  rest.working = false;
  const isBad = world.update === "selftest" || world.update === "silent";
  // A version that fails its self-test never connects.
  sensor.mute = isBad;
  await bootInto(sensor, url, version, before.fwSeq);
  sensor.mute = false;
  if (isBad) await bootInto(sensor, url, before.fw, before.fwSeq);
}

/** The version of the package, or null if it could not be downloaded in time. */
async function fetchPacket(sensor: Sensor, url: string, until: number): Promise<string | null> {
  const { env, world, id } = sensor;
  while (!sensor.stopped && env.clock.now() < until) {
    try {
      const version = await env.download(() => download(url));
      if (world.update !== "hash") return version;
      env.log(id, "the packet is damaged");
    } catch (error) {
      env.log(id, `no packet: ${causeOf(error)}`);
    }
    await pause(sensor, scaledDuration(sensor, retryMs));
  }
  return null;
}

/** Real packages contain their version; the simulated ones carry it in the file name. */
async function download(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The server responded with ${response.status}`);
  }
  const announced = Number(response.headers.get("content-length"));
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  if (announced > 0 && bytes !== announced) throw new Error(`${bytes} bytes instead of ${announced}`);
  const [, version] = /filename="?APS-(\d[^"]*)\.\w+"?$/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  if (!version) throw new Error("This is no packet for an APS");
  return version;
}
