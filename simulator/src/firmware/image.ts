// Download of a firmware image: in chunks over HTTP(S), resumable, with final verification.
import { createHash, type Hash } from "node:crypto";
import type { FirmwareManifest } from "@psp/contract/device/device-messages.ts";
import { causeOf } from "../link/enrol.ts";

const rangeBytes = 1024 * 1024;
const timeoutMs = 60_000;
const downloadTries = 6;

/** A failed step; `code` is reported to the cloud. */
export class JobError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export type Download = {
  manifest: FirmwareManifest;
  /** Waits while the sensor is offline; throws if the job must stop. */
  ready(): Promise<void>;
  /** Runs one request; a fleet limits concurrency. */
  run<T>(task: () => Promise<T>): Promise<T>;
  pause(ms: number): Promise<void>;
  /** Called after each chunk with the bytes so far. */
  onPiece(bytes: number): Promise<void>;
  damaged: boolean;
};

/** Downloads the image, resuming after interruptions; verifies size and hash at the end. */
export async function fetchImage({ manifest, ready, run, pause, onPiece, damaged }: Download): Promise<void> {
  let hash: Hash = createHash("sha256");
  let bytes = 0;
  let tries = 0;
  while (bytes < manifest.size) {
    await ready();
    try {
      const start = bytes;
      const { whole, data } = await run(() => fetchRange(manifest, start));
      if (whole && start > 0) [hash, bytes] = [createHash("sha256"), 0];
      if (damaged && bytes === 0 && data[0] !== undefined) data[0] ^= 1;
      hash.update(data);
      bytes += data.length;
      tries = 0;
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      const isFinal = error.code.startsWith("HTTP_4") && error.code !== "HTTP_429";
      if (isFinal || ++tries >= downloadTries) throw error;
      await pause(5000 * 2 ** (tries - 1));
      continue;
    }
    await onPiece(bytes);
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
    response = await fetch(url, { headers: { range }, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) await response.body?.cancel();
    else return { whole: response.status !== 206, data: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    throw new JobError("HTTP_0", causeOf(error));
  }
  throw new JobError(`HTTP_${response.status}`, `The server responded with ${response.status}`);
}
