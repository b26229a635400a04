// Where the bytes of packages are: one port, with PostgreSQL and S3 behind it.

/** Which place a package is in; kept in its row. */
export type KeptIn = "postgres" | "s3";

/** Bytes `from`..`to`, both inclusive. */
export type Span = { from: number; to: number };

/** A place for packages. Nothing of a package is ever held in memory but a piece. */
export type PackagePlace = {
  /** Length of the pieces that it writes. */
  pieceBytes: number;
  /** Writes all of the source; `onProgress` is awaited now and then. A failure may leave pieces: `remove` them. */
  write(id: string, source: AsyncIterable<Buffer>, onProgress: () => Promise<void>): Promise<void>;
  read(id: string, span: Span, pieceBytes: number): AsyncIterable<Buffer>;
  /** Removes everything of the package, finished or not; also when there is nothing. */
  remove(id: string): Promise<void>;
};
