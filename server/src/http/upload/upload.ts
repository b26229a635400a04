// Reads a multipart form whose file is too big for memory: its bytes are passed on as they come, fields may come before or after it.
import { Readable } from "node:stream";
import { Busboy, type BusboyHeaders, type BusboyInstance } from "@fastify/busboy";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../../kit/app-error.ts";

/** Lets the routes of this scope receive their bodies as streams; give it a scope of its own. */
export function streamBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("multipart/form-data", (_request, payload, done) => done(null, payload));
}

export type FormLimits = {
  /** Name of the file's part. */
  file: string;
  maxBytes: number;
  /** Names of the other parts; each may come once. */
  fields: readonly string[];
};

export type Fields = Record<string, string>;
/** Takes the file; whatever it throws ends the upload. `before` holds the fields that came ahead of the file. */
export type FileTaker<T> = (bytes: AsyncIterable<Buffer>, before: Fields, fileName: string) => Promise<T>;

const maxFieldBytes = 4096;
/** Boundaries and part headers before and after the file. */
const roomForFraming = 64 * 1024;
/** In each span of this length this many bytes must come: 8 KiB a second, but for the last of them. */
const spanMs = 30_000;
const minBytes = 240 * 1024;
/** What a refused sender may still push through before the connection is cut. */
const drainBytes = 64 * 1024 * 1024;

const tooLarge = (maxBytes: number) =>
  new AppError(
    errorCode.invalidArgument,
    { field: "file", reason: `The file is larger than ${maxBytes} bytes`, maxBytes },
    { status: 413 },
  );

/**
 * The fields and what `take` made of the file; 104 without a file, 413 beyond the limit, 408 when the bytes stop coming or
 * drip, and the reason of `ended` when that is aborted before all is here.
 */
export async function receiveForm<T>(
  request: FastifyRequest,
  limits: FormLimits,
  take: FileTaker<T>,
  ended?: AbortSignal,
): Promise<{ fields: Fields; file: T }> {
  const body = request.body;
  if (body === undefined) throw new AppError(errorCode.missingArgument, { field: limits.file });
  if (!(body instanceof Readable))
    throw new AppError(errorCode.invalidArgument, { reason: "A multipart form is expected" }, { status: 415 });
  if (Number(request.headers["content-length"] ?? 0) > limits.maxBytes + roomForFraming) {
    drain(body);
    throw tooLarge(limits.maxBytes);
  }
  try {
    return await readParts(request, body, limits, take, ended);
  } catch (error) {
    drain(body);
    throw error;
  }
}

function readParts<T>(
  request: FastifyRequest,
  body: Readable,
  limits: FormLimits,
  take: FileTaker<T>,
  ended: AbortSignal | undefined,
) {
  const parser = openParser(request);
  const fields: Fields = Object.create(null) as Fields;
  return new Promise<{ fields: Fields; file: T }>((resolve, reject) => {
    let taking: Promise<T> | null = null;
    let open: Readable | null = null;
    let arrived = 0;
    let wasPaused = false;
    let isOver = false;
    const fail = (error: unknown) => {
      if (isOver) return;
      isOver = true;
      clearInterval(pace);
      ended?.removeEventListener("abort", lost);
      body.unpipe(parser);
      parser.destroy();
      open?.destroy(new Error("The upload ended"));
      // What was begun for the file is tidied up before anybody learns of it.
      void (taking ?? Promise.resolve()).catch(() => undefined).then(() => reject(error));
    };
    const lost = () => fail(ended?.reason);
    const pace = setInterval(() => {
      // While there is no reader, nothing can arrive: that is not the sender's fault.
      if (!wasPaused && arrived < minBytes) {
        const reason = arrived === 0 ? "The upload stalled" : "The upload came too slowly";
        fail(
          new AppError(
            errorCode.invalidArgument,
            { reason, leastBytesPerSecond: (minBytes * 1000) / spanMs },
            { status: 408 },
          ),
        );
      }
      arrived = 0;
      wasPaused = body.isPaused();
    }, spanMs).unref();
    parser.on("field", (name, value, nameCut, valueCut) => {
      const fault = faultOfField(limits, fields, name, nameCut, valueCut);
      if (fault) fail(fault);
      else fields[name] = value;
    });
    parser.on("file", (name, stream, fileName) => {
      stream.on("error", () => undefined);
      if (isOver || name !== limits.file || taking !== null) {
        stream.resume();
        return fail(new AppError(name === limits.file ? 102 : 402, { field: name, reason: "Unexpected file" }));
      }
      open = stream;
      taking = take(bounded(stream, limits.maxBytes), { ...fields }, fileName);
      taking.catch(fail);
    });
    for (const event of ["partsLimit", "filesLimit", "fieldsLimit"] as const)
      parser.on(event, () => fail(new AppError(errorCode.invalidArgument, { reason: "The form has too many parts" })));
    parser.on("error", (error) =>
      fail(new AppError(errorCode.invalidArgument, { reason: "The form is malformed" }, { cause: error })),
    );
    parser.on("finish", () => {
      clearInterval(pace);
      if (taking === null)
        return fail(new AppError(errorCode.missingArgument, { field: limits.file, reason: "The file is required." }));
      taking.then((file) => {
        if (isOver) return;
        isOver = true;
        ended?.removeEventListener("abort", lost);
        resolve({ fields, file });
      }, fail);
    });
    const cut = () => fail(new AppError(errorCode.invalidArgument, { reason: "The upload was cut off" }));
    body.on("data", (piece: Buffer) => void (arrived += piece.length));
    body.on("pause", () => void (wasPaused = true));
    body.on("end", () => clearInterval(pace));
    body.on("error", cut);
    request.raw.on("aborted", cut);
    body.on("close", () => {
      if (!request.raw.complete) cut();
    });
    // A client that went away while its session was looked up has closed already, and nothing would ever come.
    if (body.destroyed) cut();
    else if (ended?.aborted) lost();
    else body.pipe(parser);
    ended?.addEventListener("abort", lost);
  });
}

function openParser(request: FastifyRequest): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { fieldNameSize: 100, fieldSize: maxFieldBytes, fields: 20, files: 2, parts: 22, headerPairs: 20 },
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    });
  } catch (error) {
    throw new AppError(errorCode.invalidArgument, { reason: "The form is malformed" }, { cause: error });
  }
}

function faultOfField(limits: FormLimits, fields: Fields, name: string, nameCut: boolean, valueCut: boolean) {
  if (nameCut || !limits.fields.includes(name))
    return name === limits.file
      ? new AppError(errorCode.invalidFieldType, { field: name, reason: "A file is expected" })
      : new AppError(errorCode.invalidFieldType, { field: name.slice(0, 100), reason: "Unknown field" });
  if (Object.hasOwn(fields, name))
    return new AppError(errorCode.invalidArgument, { field: name, reason: "The field stands twice" });
  return valueCut ? new AppError(errorCode.invalidArgument, { field: name, reason: "The text is too long" }) : null;
}

async function* bounded(stream: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield piece;
  }
}

/** Lets a refused sender finish, so that it receives the reason, but not forever. */
function drain(body: Readable): void {
  let left = drainBytes;
  body.on("error", () => undefined);
  body.on("data", (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) body.destroy();
  });
  body.resume();
}
