// Where the bytes of packages are: one port, two places behind it. Which one a package is in stands in its row.
import type { Context } from "../context.ts";
import { createPostgresPlace } from "./package.postgres.ts";
import { createS3Place } from "./package.s3.ts";

export type KeptIn = "postgres" | "s3";

/** Bytes `from`..`to`, both inclusive. */
export type Span = { from: number; to: number };

/** A place for packages. Nothing of a package is ever held in memory but a piece. */
export type PackagePlace = {
  /** Length of the pieces that it writes. */
  pieceBytes: number;
  /** Writes all of the source; `onProgress` is awaited after each piece. A failure may leave pieces: `remove` them. */
  write(id: string, source: AsyncIterable<Buffer>, onProgress: () => Promise<void>): Promise<void>;
  read(id: string, span: Span, pieceBytes: number): AsyncIterable<Buffer>;
  /** Removes everything of the package, finished or not; also when there is nothing. */
  remove(id: string): Promise<void>;
};

/** Where new packages go. */
export function placeForNew(ctx: Context): KeptIn {
  return ctx.config.firmware.s3 === null ? "postgres" : "s3";
}

/** The place of that name; an S3 that is not configured any more throws. */
export function placeOf(ctx: Context, keptIn: KeptIn): PackagePlace {
  if (keptIn === "postgres") return createPostgresPlace(ctx.db);
  if (ctx.config.firmware.s3 === null) throw new Error("A package is kept in S3, and no S3 is configured");
  return createS3Place(ctx.config.firmware.s3);
}
