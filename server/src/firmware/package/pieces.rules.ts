// Cuts a stream of bytes again, so that stores get pieces of one length whatever the network delivered.

/** Pieces of exactly `length` bytes, the last one shorter; nothing for an empty source. One is good until the next is asked for. */
export async function* inPieces(source: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(length);
  let filled = 0;
  for await (const data of source) {
    for (let at = 0; at < data.length;) {
      const copied = data.copy(piece, filled, at);
      at += copied;
      filled += copied;
      if (filled < length) continue;
      yield piece;
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
