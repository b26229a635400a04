// The interface of package storage, with PostgreSQL and S3 as implementations.

export type StorageKind = "postgres" | "s3";

/** Both inclusive. */
export type ByteRange = { from: number; to: number };

/** Storage of packages; only one chunk is in memory at a time. */
export type PackageStorage = {
  chunkBytes: number;
  /** Awaits `onProgress` now and then. A failure may leave chunks, which `remove` deletes. */
  write(id: string, source: AsyncIterable<Buffer>, onProgress: () => Promise<void>): Promise<void>;
  read(id: string, span: ByteRange, chunkBytes: number): AsyncIterable<Buffer>;
  /** Deletes all chunks of the package, even an incomplete one; idempotent. */
  remove(id: string): Promise<void>;
};
