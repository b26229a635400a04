// Storing and serving the files of firmware; checksums are computed while bytes pass, nothing is held in memory but a piece.
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import type { KeptIn, PackagePlace, Span } from "./package.rules.ts";
import { createPostgresPlace } from "./postgres.store.ts";
import { createS3Place } from "./s3.adapter.ts";
import * as store from "./package.store.ts";
import { collectAfter } from "./heap-flags.service.ts";

export type { PackageRow } from "./package.store.ts";

export type StoredPackage = { id: string; keptIn: KeptIn; size: number; md5: string; sha256: string };

const touchEveryMs = 10_000;

/** The place of that name; an S3 that is not configured any more throws. */
function placeOf(ctx: Context, keptIn: KeptIn): PackagePlace {
  if (keptIn === "postgres") return createPostgresPlace(ctx.db);
  if (ctx.config.firmware.s3 === null) throw new Error("A package is kept in S3, and no S3 is configured");
  return createS3Place(ctx.config.firmware.s3);
}

/** Stores the bytes under a new id that belongs to no firmware yet. After a failure nothing of them is left. */
export async function keepPackage(ctx: Context, bytes: AsyncIterable<Buffer>): Promise<StoredPackage> {
  const id = uuidv7(ctx.clock.now());
  const keptIn: KeptIn = ctx.config.firmware.s3 === null ? "postgres" : "s3";
  const place = placeOf(ctx, keptIn);
  const [md5, sha256] = [createHash("md5"), createHash("sha256")];
  let size = 0;
  async function* counted() {
    for await (const piece of bytes) {
      md5.update(piece);
      sha256.update(piece);
      size += piece.length;
      yield piece;
      collectAfter(piece.length);
    }
  }
  let touchedAt = ctx.clock.now();
  await store.beginPackage(ctx.db, {
    id,
    kept_in: keptIn,
    piece_bytes: place.pieceBytes,
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
    await dropPackage(ctx, { id, keptIn });
    throw error;
  }
  return { id, keptIn, size, md5: md5.digest("hex"), sha256: sha256.digest("hex") };
}

/** Removes the bytes, then the row: a kill between the two leaves something that the sweep finds. */
export async function removePackage(ctx: Context, id: string, keptIn: KeptIn): Promise<void> {
  await placeOf(ctx, keptIn).remove(id);
  await store.forgetPackage(ctx.db, id);
}

/** The same for a package that failed: what can't be removed now, the sweep removes. */
export async function dropPackage(ctx: Context, { id, keptIn }: Pick<StoredPackage, "id" | "keptIn">): Promise<void> {
  await removePackage(ctx, id, keptIn).catch((error: unknown) =>
    ctx.log.warn({ err: error, package: id }, "an unfinished package is left to the sweep"),
  );
}

/** The bytes of a stored package within the span. */
export async function* readPackage(ctx: Context, row: store.PackageRow, span: Span): AsyncGenerator<Buffer> {
  for await (const piece of placeOf(ctx, row.kept_in).read(row.id, span, row.piece_bytes)) {
    yield piece;
    // The database sends two digits for each byte, and its driver puts them together in buffers of its own.
    collectAfter(4 * piece.length);
  }
}
