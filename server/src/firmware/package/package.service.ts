// Stores and serves firmware files; checksums are computed while streaming, one chunk in memory at a time.
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import type { StorageKind, PackageStorage, ByteRange } from "./package.rules.ts";
import { createPostgresStorage } from "./postgres.store.ts";
import { createS3Storage } from "./s3.adapter.ts";
import * as store from "./package.store.ts";
import { reportGarbage } from "./heap-flags.service.ts";

export type { PackageRow } from "./package.store.ts";

export type StoredPackage = { id: string; keptIn: StorageKind; size: number; md5: string; sha256: string };

const touchEveryMs = 10_000;

/** Throws if S3 is not configured any more. */
function getStorage(ctx: Context, keptIn: StorageKind): PackageStorage {
  if (keptIn === "postgres") return createPostgresStorage(ctx.db);
  if (ctx.config.firmware.s3 === null) throw new Error("A package is kept in S3, and no S3 is configured");
  return createS3Storage(ctx.config.firmware.s3);
}

/** Stores the bytes as a package that belongs to no firmware yet. Removes them after a failure. */
export async function storePackage(ctx: Context, bytes: AsyncIterable<Buffer>): Promise<StoredPackage> {
  const id = uuidv7(ctx.clock.now());
  const keptIn: StorageKind = ctx.config.firmware.s3 === null ? "postgres" : "s3";
  const place = getStorage(ctx, keptIn);
  const [md5, sha256] = [createHash("md5"), createHash("sha256")];
  let size = 0;
  async function* counted() {
    for await (const chunk of bytes) {
      md5.update(chunk);
      sha256.update(chunk);
      size += chunk.length;
      yield chunk;
      reportGarbage(chunk.length);
    }
  }
  let touchedAt = ctx.clock.now();
  await store.beginPackage(ctx.db, {
    id,
    kept_in: keptIn,
    piece_bytes: place.chunkBytes,
    touched_at: ctx.clock.date(),
  });
  try {
    await place.write(id, counted(), async () => {
      if (ctx.clock.now() - touchedAt < touchEveryMs) return;
      touchedAt = ctx.clock.now();
      await store.touchPackage(ctx.db, id, ctx.clock.date());
    });
    await store.touchPackage(ctx.db, id, ctx.clock.date());
  } catch (error) {
    await tryRemovePackage(ctx, { id, keptIn });
    throw error;
  }
  return { id, keptIn, size, md5: md5.digest("hex"), sha256: sha256.digest("hex") };
}

/** Deletes the bytes, then the row, so that the sweep finds the rest after a crash. */
export async function removePackage(ctx: Context, id: string, keptIn: StorageKind): Promise<void> {
  await getStorage(ctx, keptIn).remove(id);
  await store.deletePackageRow(ctx.db, id);
}

/** Removes a package after a failure. Never throws: the sweep removes what can't be removed now. */
export async function tryRemovePackage(
  ctx: Context,
  { id, keptIn }: Pick<StoredPackage, "id" | "keptIn">,
): Promise<void> {
  await removePackage(ctx, id, keptIn).catch((error: unknown) =>
    ctx.log.warn({ err: error, package: id }, "an unfinished package is left to the sweep"),
  );
}

export async function* readPackage(ctx: Context, row: store.PackageRow, span: ByteRange): AsyncGenerator<Buffer> {
  for await (const chunk of getStorage(ctx, row.kept_in).read(row.id, span, row.piece_bytes)) {
    yield chunk;
    // Each byte leaves four bytes of garbage: PostgreSQL sends two hexadecimal digits, and the driver copies them.
    reportGarbage(4 * chunk.length);
  }
}
