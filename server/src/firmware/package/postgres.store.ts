// Package storage in PostgreSQL: fixed-length chunks, each written and read with its own short statement.
import { sql } from "kysely";
import type { Database } from "../../db/database.ts";
import type { PackageStorage } from "./package.rules.ts";

const chunkBytes = 256 * 1024;

export function createPostgresStorage(db: Database): PackageStorage {
  return {
    chunkBytes,
    async write(id, source, onProgress) {
      let n = 0;
      for await (const data of splitIntoChunks(source, chunkBytes)) {
        await db.insertInto("firmware_chunk").values({ package_id: id, n, data }).execute();
        n += 1;
        await onProgress();
      }
    },
    async *read(id, { from, to }, length) {
      for (let n = Math.floor(from / length); n * length <= to; n += 1) {
        const start = Math.max(0, from - n * length);
        const end = Math.min(length - 1, to - n * length);
        const { rows } = await sql<{ data: Buffer }>`
          select substring(data from ${start + 1}::int for ${end - start + 1}::int) as data
          from firmware_chunk where package_id = ${id} and n = ${n}`.execute(db);
        const data = rows[0]?.data;
        if (data?.length !== end - start + 1) throw new Error(`Package ${id} lacks bytes in chunk ${n}`);
        yield data;
      }
    },
    async remove(id) {
      await db.deleteFrom("firmware_chunk").where("package_id", "=", id).execute();
    },
  };
}

/**
 * Yields chunks of `length` bytes; the last one may be shorter. A chunk is valid only until the next one is requested, because the
 * buffer is reused.
 */
async function* splitIntoChunks(source: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(length);
  let filled = 0;
  for await (const data of source) {
    for (let at = 0; at < data.length;) {
      const copied = data.copy(chunk, filled, at);
      at += copied;
      filled += copied;
      if (filled < length) continue;
      yield chunk;
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
