// The firmware job of a sensor, state by state (device-protocol 4.11).
import { createHash, type Hash } from "node:crypto";
import { upTopic, type FirmwareManifest, type JobReport } from "@psp/contract/sensor/sensor.device.ts";
import { isPending } from "./buffer.ts";
import { causeOf } from "./enrol.ts";
import { localMoment } from "./local-time.ts";
import { refusalOf } from "./manifest.ts";
import type { Job, Sensor } from "./sensor-state.ts";

const installMs = 10_000;
const rebootMs = 15_000;
const selfTestMs = 5000;
const commitWithinMs = 10 * 60_000;
const rangeBytes = 1024 * 1024;
const downloadTries = 6;

class JobError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const percent: Record<JobReport["state"], number> = {
  INITIATE: 0,
  DOWNLOAD: 25,
  DOWNLOADED: 50,
  RUNNING: 75,
  FINISHED: 100,
  ERROR: 0,
};

/** Sends the last report again, e.g. after a connection was lost. */
export function tellJob(sensor: Sensor): void {
  const report = sensor.job?.report;
  if (report && sensor.phase === "up") sensor.link?.publish(upTopic(sensor.id, "job"), JSON.stringify(report));
}

function say(sensor: Sensor, job: Job, state: JobReport["state"], facts: Partial<JobReport> = {}): void {
  job.report = {
    job: job.id,
    state,
    ok: state !== "ERROR",
    pct: percent[state],
    code: null,
    message: null,
    at: sensor.around.clock.now(),
    n: (job.report?.n ?? 0) + 1,
    ...facts,
  };
  sensor.around.log(sensor.id, `firmware ${state}${facts.code ? ` ${facts.code}` : ""}`);
  tellJob(sensor);
}

/** The server's wish changed: start, go on, or cancel. `raw` is the manifest as it came. */
export function onDesiredFirmware(sensor: Sensor, manifest: FirmwareManifest | null, raw: unknown): void {
  const { job } = sensor;
  if (manifest && job?.id === manifest.job && (job.finished || job.running)) return tellJob(sensor);
  if (job && !job.finished) {
    // Past DOWNLOADED there is no way back; the running installation goes on whatever is wished.
    if (job.running && job.report?.state === "RUNNING") return;
    job.cancelled = true;
  }
  if (!manifest) return;
  const next: Job = { id: manifest.job, report: null, cancelled: false, running: true, finished: false };
  sensor.job = next;
  void work(sensor, next, manifest, raw);
}

async function work(sensor: Sensor, job: Job, manifest: FirmwareManifest, raw: unknown): Promise<void> {
  const before = { fw: sensor.fw, fwSeq: sensor.fwSeq };
  let isInstalled = false;
  try {
    await prepare(sensor, job, manifest, raw);
    await fetchImage(sensor, job, manifest);
    say(sensor, job, "DOWNLOADED");
    await pause(sensor, 2000);
    mustGoOn(sensor, job, manifest);
    say(sensor, job, "RUNNING");
    await pause(sensor, installMs);
    isInstalled = true;
    sensor.mute = sensor.world.update === "silent";
    await bootInto(sensor, manifest.version, manifest.seq);
    await proveItself(sensor, job);
    say(sensor, job, "FINISHED");
  } catch (error) {
    if (sensor.stopped) return;
    if (isInstalled) {
      sensor.mute = false;
      await bootInto(sensor, before.fw, before.fwSeq);
    }
    const code = error instanceof JobError ? error.code : "WRITE";
    say(sensor, job, "ERROR", { code, message: causeOf(error).slice(0, 500) });
  }
  job.finished = true;
  job.running = false;
  if (sensor.job === job) sensor.around.keep(sensor);
}

async function prepare(sensor: Sensor, job: Job, manifest: FirmwareManifest, raw: unknown): Promise<void> {
  const { type, fw, fwSeq, fwKey, around } = sensor;
  const refused = refusalOf(manifest, raw, { type, fw, fwSeq, fwKey, now: around.clock.now() });
  if (refused) throw new JobError(refused.code, refused.message);
  say(sensor, job, "INITIATE");
  while (manifest.window && !isOpen(sensor, manifest.window)) {
    await pause(sensor, 60_000);
    mustGoOn(sensor, job, manifest);
  }
}

function isOpen(sensor: Sensor, { from, to }: { from: string; to: string }): boolean {
  const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  const { minute } = localMoment(sensor.profile.zone, sensor.around.clock.now());
  const [start, end] = [minuteOf(from), minuteOf(to)];
  return start <= end ? minute >= start && minute < end : minute >= start || minute < end;
}

function mustGoOn(sensor: Sensor, job: Job, manifest: FirmwareManifest): void {
  if (sensor.stopped) throw new JobError("CANCELED", "The simulator stops");
  if (job.cancelled) throw new JobError("CANCELED", "Cancelled by the cloud");
  if (sensor.around.clock.now() >= manifest.exp) throw new JobError("EXPIRED", "The manifest has expired");
}

function pause(sensor: Sensor, ms: number): Promise<void> {
  const { net } = sensor.around;
  return new Promise((resolve) => void net.at(net.now() + ms, resolve));
}

/** Fetches the image piece by piece, going on where it was after a break; size and hash must be right at the end. */
async function fetchImage(sensor: Sensor, job: Job, manifest: FirmwareManifest): Promise<void> {
  let hash: Hash = createHash("sha256");
  let bytes = 0;
  let tries = 0;
  say(sensor, job, "DOWNLOAD", { bytes });
  while (bytes < manifest.size) {
    mustGoOn(sensor, job, manifest);
    while (sensor.phase !== "up" && !sensor.stopped) await pause(sensor, 5000);
    try {
      const start = bytes;
      const { whole, data } = await sensor.around.download(() => fetchRange(manifest, start));
      if (whole && start > 0) [hash, bytes] = [createHash("sha256"), 0];
      if (sensor.world.update === "hash" && bytes === 0 && data[0] !== undefined) data[0] ^= 1;
      hash.update(data);
      bytes += data.length;
      tries = 0;
      if (bytes < manifest.size)
        say(sensor, job, "DOWNLOAD", { bytes, pct: 25 + Math.floor((25 * bytes) / manifest.size) });
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      const isFinal = error.code.startsWith("HTTP_4") && error.code !== "HTTP_429";
      if (isFinal || ++tries >= downloadTries) throw error;
      await pause(sensor, 5000 * 2 ** (tries - 1));
    }
  }
  if (bytes !== manifest.size) throw new JobError("HASH", `${bytes} bytes instead of ${manifest.size}`);
  if (hash.digest("hex") !== manifest.sha256.toLowerCase()) throw new JobError("HASH", "SHA-256 differs");
}

async function fetchRange(
  { url, size }: FirmwareManifest,
  start: number,
): Promise<{ whole: boolean; data: Uint8Array }> {
  let response: Response;
  try {
    const range = `bytes=${start}-${Math.min(size, start + rangeBytes) - 1}`;
    response = await fetch(url, { headers: { range }, signal: AbortSignal.timeout(60_000) });
    if (!response.ok) await response.body?.cancel();
    else return { whole: response.status !== 206, data: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    throw new JobError("HTTP_0", causeOf(error));
  }
  throw new JobError(`HTTP_${response.status}`, `The server answers ${response.status}`);
}

async function bootInto(sensor: Sensor, version: string, seq: number): Promise<void> {
  sensor.fw = version;
  sensor.fwSeq = seq;
  await sensor.restart("fw", rebootMs);
}

/** Self-test and commit point: the connection is back and the first count record since the restart is stored. */
async function proveItself(sensor: Sensor, job: Job): Promise<void> {
  await pause(sensor, selfTestMs);
  if (sensor.world.update === "selftest") throw new JobError("SELFTEST", "Self-test failed, the old version is back");
  const { net } = sensor.around;
  const deadline = net.now() + commitWithinMs;
  const proof = sensor.lastCount;
  while (net.now() < deadline && !sensor.stopped) {
    if (sensor.phase === "up" && proof > 0 && !isPending(sensor.outbox.buffer, proof)) return;
    await pause(sensor, 1000);
  }
  throw new JobError(
    "ROLLED_BACK",
    `No acknowledged count ${commitWithinMs / 60_000} minutes after the restart of ${job.id}`,
  );
}
