// Firmware jobs: states and manifest checks (docs/device-protocol.md#firmware). State is persisted before it is reported.
import { installPercent } from "@psp/contract/sensor/install-progress.ts";
import { upTopic } from "@psp/contract/device/device-topics.ts";
import type { FirmwareManifest, JobReport } from "@psp/contract/device/device-messages.ts";
import { sleep } from "../clock.ts";
import { isPending } from "../records/buffer.ts";
import { causeOf } from "../link/enrol.ts";
import { fetchImage, JobError } from "./image.ts";
import { localMoment } from "../local-time.ts";
import type { Job, Sensor } from "../device/sensor-state.ts";
import { createPublicKey, verify } from "node:crypto";
import { semverKey } from "@psp/contract/firmware/semver.ts";
import { canonicalJson, type Json } from "@psp/contract/firmware/canonical-json.ts";

export const installMs = 10_000;
const rebootMs = 15_000;
const selfTestMs = 5000;
const darkMs = 20_000;
const commitWithinMs = 10 * 60_000;

/** Sends the last report again, e.g. after a reconnect. */
export function resendJobReport(sensor: Sensor): void {
  const report = sensor.job?.report;
  if (report && sensor.phase === "up") sensor.link?.publish(upTopic(sensor.id, "job"), JSON.stringify(report));
}

function say(sensor: Sensor, job: Job, state: JobReport["state"], facts: Partial<JobReport> = {}): void {
  const isNew = job.report?.state !== state;
  job.report = {
    job: job.id,
    state,
    ok: state !== "ERROR",
    pct: installPercent[state],
    code: null,
    message: null,
    at: sensor.env.clock.now(),
    n: (job.report?.n ?? 0) + 1,
    ...facts,
  };
  if (isNew) {
    sensor.env.persist(sensor);
    sensor.env.log(sensor.id, `firmware ${state}${facts.code ? ` ${facts.code}` : ""}`);
  }
  resendJobReport(sensor);
}

/**
 * Starts, continues or cancels a job. `raw` is the manifest as received. While a job is busy, the newest manifest
 * waits. After DOWNLOADED, an installation can't be canceled.
 */
export function onDesiredFirmware(sensor: Sensor, manifest: FirmwareManifest | null, raw: unknown): void {
  const { job } = sensor;
  sensor.wanted = manifest && { manifest, raw };
  if (manifest && job?.id === manifest.job && (job.finished || job.running)) {
    job.canceled = false;
    return resendJobReport(sensor);
  }
  if (job?.running) {
    if (job.step === "fetching") job.canceled = true;
    return;
  }
  // The job was started before a restart and is no longer desired.
  if (job && !job.finished && job.id !== manifest?.job)
    finish(sensor, job, "ERROR", { code: "CANCELED", message: "Cancelled by the cloud" });
  startWanted(sensor);
}

function startWanted(sensor: Sensor): void {
  const { wanted, job } = sensor;
  if (!wanted || sensor.stopped) return;
  const { manifest, raw } = wanted;
  const isResumed = job?.id === manifest.job;
  if (isResumed && (job.finished || job.running)) return;
  const next: Job = {
    id: manifest.job,
    manifest,
    report: isResumed ? job.report : null,
    step: "fetching",
    before: { fw: sensor.fw, fwSeq: sensor.fwSeq },
    canceled: false,
    running: true,
    finished: false,
  };
  sensor.job = next;
  void work(sensor, next, async () => {
    await prepare(sensor, next, raw);
    await fetchAndCheck(sensor, next);
  });
}

/**
 * Resumes an installation that was interrupted by a simulator restart. The image is complete, and the installation can
 * no longer be canceled.
 */
export function resumeJob(sensor: Sensor): void {
  const { job } = sensor;
  if (!job || job.finished || job.running || job.step === "fetching") return;
  job.running = true;
  void work(sensor, job, () => Promise.resolve());
}

async function work(sensor: Sensor, job: Job, fetch: () => Promise<void>): Promise<void> {
  try {
    await fetch();
    if (job.step !== "installed") await install(sensor, job);
    await proveItself(sensor, job);
    finish(sensor, job, "FINISHED");
  } catch (error) {
    if (sensor.stopped) return;
    if (job.step === "installed") {
      sensor.mute = false;
      await bootInto(sensor, job.id, job.before.fw, job.before.fwSeq);
    }
    if (sensor.stopped) return;
    const code = error instanceof JobError ? error.code : "WRITE";
    finish(sensor, job, "ERROR", { code, message: causeOf(error).slice(0, 500) });
  }
  startWanted(sensor);
}

function finish(sensor: Sensor, job: Job, state: JobReport["state"], facts: Partial<JobReport> = {}): void {
  job.finished = true;
  job.running = false;
  say(sensor, job, state, facts);
}

async function prepare(sensor: Sensor, job: Job, raw: unknown): Promise<void> {
  const { type, fw, fwSeq, env, world } = sensor;
  const fwKey = world.update === "sig" ? Buffer.alloc(32).toString("base64") : sensor.fwKey;
  const refused = refusalOf(job.manifest, raw, { type, fw, fwSeq, fwKey, now: env.clock.now() });
  if (refused) throw new JobError(refused.code, refused.message);
  say(sensor, job, "INITIATE");
  while (job.manifest.window && !isOpen(sensor, job.manifest.window)) {
    await pause(sensor, 60_000);
    mustGoOn(sensor, job);
  }
}

function isOpen(sensor: Sensor, { from, to }: { from: string; to: string }): boolean {
  const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  const { minute } = localMoment(sensor.profile.zone, sensor.env.clock.now());
  const [start, end] = [minuteOf(from), minuteOf(to)];
  return start <= end ? minute >= start && minute < end : minute >= start || minute < end;
}

function mustGoOn(sensor: Sensor, job: Job): void {
  if (sensor.stopped) throw new JobError("CANCELED", "The simulator stops");
  if (job.canceled) throw new JobError("CANCELED", "Cancelled by the cloud");
  if (sensor.env.clock.now() >= job.manifest.exp) throw new JobError("EXPIRED", "The manifest has expired");
}

export function pause(sensor: Sensor, ms: number): Promise<void> {
  return sleep(sensor.env.net, ms);
}

export function scaledDuration(sensor: Sensor, ms: number): number {
  return ms / sensor.env.hurry;
}

async function fetchAndCheck(sensor: Sensor, job: Job): Promise<void> {
  const { manifest } = job;
  let darkened = sensor.world.update !== "power";
  say(sensor, job, "DOWNLOAD", { bytes: 0 });
  await fetchImage({
    manifest,
    run: sensor.env.download,
    pause: (ms) => pause(sensor, ms),
    damaged: sensor.world.update === "hash",
    async ready() {
      mustGoOn(sensor, job);
      while (sensor.phase !== "up" && !sensor.stopped) await pause(sensor, 1000);
    },
    async onPiece(bytes) {
      if (!darkened) {
        darkened = true;
        await sensor.restart("power", scaledDuration(sensor, darkMs));
      }
      if (bytes < manifest.size)
        say(sensor, job, "DOWNLOAD", { bytes, pct: 25 + Math.floor((25 * bytes) / manifest.size) });
    },
  });
  mustGoOn(sensor, job);
  say(sensor, job, "DOWNLOADED");
  await pause(sensor, scaledDuration(sensor, 2000));
  mustGoOn(sensor, job);
}

/** Writes the other slot and boots into it. If power fails before the switch, the slot is written again. */
async function install(sensor: Sensor, job: Job): Promise<void> {
  job.step = "installing";
  say(sensor, job, "RUNNING");
  while (sensor.world.update === "stuck" && !sensor.stopped) await pause(sensor, 60_000);
  await pause(sensor, scaledDuration(sensor, installMs));
  if (sensor.world.update === "power") {
    await sensor.restart("power", scaledDuration(sensor, darkMs));
    await pause(sensor, scaledDuration(sensor, installMs));
  }
  if (sensor.stopped) throw new JobError("CANCELED", "The simulator stops");
  sensor.mute = sensor.world.update === "silent";
  job.step = "installed";
  sensor.env.installed(sensor.id, job.id, job.manifest.version);
  await bootInto(sensor, job.id, job.manifest.version, job.manifest.seq);
}

export async function bootInto(sensor: Sensor, job: string, version: string, seq: number): Promise<void> {
  sensor.fw = version;
  sensor.fwSeq = seq;
  // Once this is persisted, every restart boots this version.
  sensor.env.persist(sensor);
  sensor.env.log(sensor.id, `boots ${version} for ${job}`);
  await sensor.restart("fw", scaledDuration(sensor, rebootMs));
}

/** Runs the self-test, then waits until the sensor is connected and its first count record since the restart is acknowledged. */
async function proveItself(sensor: Sensor, job: Job): Promise<void> {
  await pause(sensor, scaledDuration(sensor, selfTestMs));
  if (sensor.world.update === "selftest") throw new JobError("SELFTEST", "Self-test failed, old version restored");
  const { net } = sensor.env;
  const deadline = net.now() + commitWithinMs;
  while (net.now() < deadline && !sensor.stopped) {
    const proof = sensor.lastCount;
    if (sensor.phase === "up" && proof > 0 && !isPending(sensor.outbox.buffer, proof)) return;
    await pause(sensor, 1000);
  }
  throw new JobError(
    "ROLLED_BACK",
    `No acknowledged count ${commitWithinMs / 60_000} minutes after the restart of ${job.id}`,
  );
}

const ed25519Spki = Buffer.from("302a300506032b6570032100", "hex");

/** Verifies `sig` (base64) over the manifest without `sig` with the raw 32-byte key (base64). */
function isSigned(manifest: unknown, fwKey: string | null): boolean {
  if (!fwKey || typeof manifest !== "object" || manifest === null) return false;
  const { sig, ...signed } = manifest as Record<string, Json>;
  if (typeof sig !== "string") return false;
  try {
    const key = createPublicKey({
      key: Buffer.concat([ed25519Spki, Buffer.from(fwKey, "base64")]),
      format: "der",
      type: "spki",
    });
    return verify(null, Buffer.from(canonicalJson(signed)), key, Buffer.from(sig, "base64"));
  } catch {
    return false;
  }
}

const roomBytes = 512 * 1024 * 1024;

function refusalOf(
  manifest: FirmwareManifest,
  raw: unknown,
  device: { type: string; fw: string; fwSeq: number; fwKey: string | null; now: number },
): { code: string; message: string } | null {
  if (!isSigned(raw, device.fwKey)) return { code: "SIG", message: "The signature does not fit the manifest" };
  if (manifest.type !== device.type || manifest.class !== device.type)
    return { code: "CLASS", message: `Made for ${manifest.class}, this is a ${device.type}` };
  if (manifest.minFrom && semverKey(device.fw) < semverKey(manifest.minFrom))
    return { code: "CLASS", message: `Needs ${manifest.minFrom} first` };
  if (manifest.seq <= device.fwSeq)
    return { code: "ROLLBACK_SEQ", message: `Sequence ${manifest.seq} is not above the installed ${device.fwSeq}` };
  if (manifest.size > roomBytes) return { code: "SPACE", message: `No room for ${manifest.size} bytes` };
  if (manifest.exp <= device.now) return { code: "EXPIRED", message: "The manifest has expired" };
  return null;
}
