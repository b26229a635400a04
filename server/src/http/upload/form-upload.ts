// Forms whose file is read more than once: it goes to a nameless file on disk first, so that memory stays flat and a cut upload does nothing.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "@psp/contract/errors.ts";
import type { Upload } from "@psp/contract/kit/endpoint.ts";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { AppError } from "../../kit/app-error.ts";
import { readPart } from "../bind.ts";
import { type FileTaker, receiveForm } from "./upload.ts";

const partBytes = 65_536;

/** `file.read` starts at the beginning, as often as needed. */
export type ReceivedForm<F extends z.ZodType> = {
  fields: z.output<F>;
  file: { sha256: Buffer; read(): AsyncIterable<Uint8Array> };
};

/**
 * Receives the whole form unless it is `ended` before, hands it to `work` and throws the file away afterwards. Throws what
 * `receiveForm` throws, 102 for the wrong ending of the file's name, and what the fields' schema finds.
 */
export async function withForm<F extends z.ZodObject, T>(
  dataDir: string,
  request: FastifyRequest,
  upload: Upload<F>,
  ended: AbortSignal,
  work: (form: ReceivedForm<F>) => Promise<T>,
): Promise<T> {
  const place = await createPlace(dataDir);
  try {
    const { file, maxBytes, ending } = upload;
    const names = Object.keys(upload.fields.shape);
    const keep: FileTaker<{ name: string; sha256: Buffer }> = async (bytes, _before, name) => {
      const hash = createHash("sha256");
      for await (const part of bytes) {
        hash.update(part);
        await place.write(part);
      }
      return { name, sha256: hash.digest() };
    };
    const given = await receiveForm(request, { file, maxBytes, fields: names }, keep, ended);
    const fields = readPart(upload.fields, { ...given.fields }, "body") as z.output<F>;
    if (!given.file.name.toLowerCase().endsWith(ending))
      throw new AppError(errorCode.invalidArgument, {
        field: file,
        reason: `The name of the file must end with ${ending}`,
      });
    return await work({ fields, file: { sha256: given.file.sha256, read: place.read } });
  } finally {
    await place.leave();
  }
}

/** A file without a name: whatever ends this process, nothing of it stays. */
async function createPlace(dataDir: string) {
  const folder = join(dataDir, "uploads");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const handle = await open(path, "wx+", 0o600);
  // Where the system does not release the name of an open file, it goes at the end.
  await rm(path, { force: true }).catch(() => undefined);
  return {
    write: (part: Uint8Array) => handle.appendFile(part),
    // Not a stream of the handle: one that is left early would close it.
    async *read(): AsyncGenerator<Uint8Array> {
      for (let at = 0; ;) {
        const { bytesRead, buffer } = await handle.read({ buffer: new Uint8Array(partBytes), position: at });
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    async leave() {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}
