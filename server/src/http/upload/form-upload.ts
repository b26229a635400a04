// Spools a form's file to disk, so that it can be read more than once with constant memory and an aborted upload changes nothing.
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

const chunkBytes = 65_536;

/** Each call of `file.read` starts at the beginning. */
export type ReceivedForm<F extends z.ZodType> = {
  fields: z.output<F>;
  file: { sha256: Buffer; read(): AsyncIterable<Uint8Array> };
};

/**
 * Receives the whole form, passes it to `work` and deletes the file afterwards. Throws 102 for a wrong file name extension, and the
 * errors of `receiveForm` and of the schema of the fields.
 */
export async function withForm<F extends z.ZodObject, T>(
  dataDir: string,
  request: FastifyRequest,
  upload: Upload<F>,
  ended: AbortSignal,
  work: (form: ReceivedForm<F>) => Promise<T>,
): Promise<T> {
  const spool = await createSpool(dataDir);
  try {
    const { file, maxBytes, ending } = upload;
    const names = Object.keys(upload.fields.shape);
    const keep: FileTaker<{ name: string; sha256: Buffer }> = async (bytes, _before, name) => {
      const hash = createHash("sha256");
      for await (const chunk of bytes) {
        hash.update(chunk);
        await spool.write(chunk);
      }
      return { name, sha256: hash.digest() };
    };
    const form = await receiveForm(request, { file, maxBytes, fields: names }, keep, ended);
    const fields = readPart(upload.fields, { ...form.fields }, "body") as z.output<F>;
    if (!form.file.name.toLowerCase().endsWith(ending))
      throw new AppError(errorCode.invalidArgument, {
        field: file,
        reason: `The name of the file must end with ${ending}`,
      });
    return await work({ fields, file: { sha256: form.file.sha256, read: spool.read } });
  } finally {
    await spool.remove();
  }
}

/** A file that is unlinked while open, so that it disappears with the process. */
async function createSpool(dataDir: string) {
  const folder = join(dataDir, "uploads");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const handle = await open(path, "wx+", 0o600);
  // Windows does not unlink open files, so on Windows the file is deleted later, by `remove`.
  await rm(path, { force: true }).catch(() => undefined);
  return {
    write: (chunk: Uint8Array) => handle.appendFile(chunk),
    // Not `createReadStream`: a reader that stops early would close the handle.
    async *read(): AsyncGenerator<Uint8Array> {
      for (let at = 0; ;) {
        const { bytesRead, buffer } = await handle.read({ buffer: new Uint8Array(chunkBytes), position: at });
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    async remove() {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}
