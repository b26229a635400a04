// Reads a multipart form and streams its file, which may be too big for memory. Fields may come before or after the file.
import type { IncomingMessage } from "node:http";
import { addAbortSignal } from "node:stream";
import multipart from "@fastify/multipart";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../kit/app-error.ts";

const maxFieldBytes = 4096;

/** Makes the routes of this scope accept multipart forms only. Needs a separate scope. */
export async function registerFormParser(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  const parts = { fieldNameSize: 100, fieldSize: maxFieldBytes, fields: 20, files: 2, parts: 22, headerPairs: 20 };
  await scope.register(multipart, {
    // Unlimited, because the library truncates a file at its limit; `bounded` rejects it instead.
    limits: { ...parts, fileSize: Infinity },
    isPartAFile: (_name, _type, fileName) => fileName !== undefined,
  });
}

export type FormLimits = {
  file: string;
  maxBytes: number;
  /** Names of the other parts; each may come once. */
  fields: readonly string[];
};

export type FormFields = Record<string, string>;
/** Consumes the file; an error ends the upload. `before` contains the fields that preceded the file. */
export type FileTaker<T> = (bytes: AsyncIterable<Buffer>, before: FormFields, fileName: string) => Promise<T>;

/** Maximum size of boundaries and part headers before and after the file. */
const framingBytes = 64 * 1024;
/** Minimum upload rate: this many bytes in each interval, except the last. */
const minBytes = 240 * 1024;
const intervalMs = 30_000;
/** Bytes that are still read from a refused sender before the connection is closed. */
const drainBytes = 64 * 1024 * 1024;

const invalid = (reason: string, cause?: unknown) => new AppError(errorCode.invalidArgument, { reason }, { cause });
const tooLarge = (maxBytes: number) =>
  new AppError(
    errorCode.invalidArgument,
    { field: "file", reason: `The file is larger than ${maxBytes} bytes`, maxBytes },
    { status: 413 },
  );

/**
 * Returns the fields and the result of `take`. Throws 104 without a file, 413 beyond the limit, 408 when the upload stalls or
 * is too slow, and the reason of `ended` if that is aborted before the form is complete.
 */
export async function receiveForm<T>(
  request: FastifyRequest,
  limits: FormLimits,
  take: FileTaker<T>,
  ended?: AbortSignal,
): Promise<{ fields: FormFields; file: T }> {
  if (!request.isMultipart()) throw new AppError(errorCode.missingArgument, { field: limits.file });
  const { raw } = request;
  const slow = new AbortController();
  const signal = AbortSignal.any(ended ? [slow.signal, ended] : [slow.signal]);
  const interval = watchRate(raw, slow);
  try {
    signal.throwIfAborted();
    // If the client left while its session was looked up, the stream emits nothing more, not even `end`.
    if (raw.destroyed) throw invalid("The upload was cut off");
    if (Number(request.headers["content-length"] ?? 0) > limits.maxBytes + framingBytes)
      throw tooLarge(limits.maxBytes);
    return await readParts(request, limits, take, signal);
  } catch (error) {
    drain(raw);
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearInterval(interval);
  }
}

async function readParts<T>(request: FastifyRequest, limits: FormLimits, take: FileTaker<T>, signal: AbortSignal) {
  const fields = Object.create(null) as FormFields;
  let taken: { file: T } | null = null;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  let isEmpty = true;
  request.raw.once("data", () => void (isEmpty = false));
  const parts = request.parts();
  const nextPart = async () => {
    const next = parts.next().catch((error: Error) => Promise.reject(faultOfForm(error, request)));
    return (await Promise.race([next, aborted])).value;
  };
  for (let part = await nextPart(); part; part = await nextPart()) {
    const { fieldname: name } = part;
    if (part.type === "field") {
      const fault = faultOfField(limits, fields, name, part.fieldnameTruncated, part.valueTruncated);
      if (fault) throw fault;
      // The library parses values that were sent as JSON, so they are serialized again.
      fields[name] = typeof part.value === "string" ? part.value : JSON.stringify(part.value);
      continue;
    }
    if (name !== limits.file || taken)
      throw new AppError(name === limits.file ? errorCode.invalidArgument : errorCode.invalidFieldType, {
        field: name,
        reason: "Unexpected file",
      });
    const { file, filename } = part;
    addAbortSignal(signal, file);
    taken = { file: await take(bounded(file, limits.maxBytes, request), { ...fields }, filename) };
  }
  if (taken) return { fields, ...taken };
  if (isEmpty) throw invalid("The form is malformed");
  throw new AppError(errorCode.missingArgument, { field: limits.file, reason: "The file is required." });
}

/** Aborts with 408 when the sender is too slow. Intervals in which the server paused reading are ignored. */
function watchRate(raw: IncomingMessage, slow: AbortController): NodeJS.Timeout {
  let arrived = 0;
  let wasPaused = false;
  raw.on("data", (chunk: Buffer) => void (arrived += chunk.length));
  raw.on("pause", () => void (wasPaused = true));
  return setInterval(() => {
    if (!raw.complete && !wasPaused && arrived < minBytes) {
      const reason = arrived === 0 ? "The upload stalled" : "The upload came too slowly";
      const details = { reason, leastBytesPerSecond: (minBytes * 1000) / intervalMs };
      slow.abort(new AppError(errorCode.invalidArgument, details, { status: 408 }));
    }
    arrived = 0;
    wasPaused = raw.isPaused();
  }, intervalMs).unref();
}

function faultOfForm(error: Error & { code?: string }, { raw }: FastifyRequest): AppError {
  if (raw.destroyed && !raw.complete) return invalid("The upload was cut off", error);
  if (error.code === "FST_PROTO_VIOLATION")
    return new AppError(errorCode.invalidFieldType, { reason: "Unknown field" }, { cause: error });
  return invalid(error.code?.endsWith("_LIMIT") ? "The form has too many parts" : "The form is malformed", error);
}

function faultOfField(limits: FormLimits, fields: FormFields, name: string, nameCut: boolean, valueCut: boolean) {
  if (nameCut || !limits.fields.includes(name))
    return name === limits.file
      ? new AppError(errorCode.invalidFieldType, { field: name, reason: "A file is expected" })
      : new AppError(errorCode.invalidFieldType, { field: name.slice(0, 100), reason: "Unknown field" });
  if (Object.hasOwn(fields, name))
    return new AppError(errorCode.invalidArgument, { field: name, reason: "The field stands twice" });
  return valueCut ? new AppError(errorCode.invalidArgument, { field: name, reason: "The text is too long" }) : null;
}

async function* bounded(
  file: AsyncIterable<Buffer>,
  maxBytes: number,
  request: FastifyRequest,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of file) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof AppError ? error : faultOfForm(error as Error, request);
  }
}

/** Reads on after a refusal, so that the sender receives the reason; up to a limit. */
function drain(raw: IncomingMessage): void {
  let left = drainBytes;
  raw.unpipe();
  raw.on("error", () => undefined);
  raw.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
}
