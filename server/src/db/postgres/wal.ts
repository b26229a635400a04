// Names and positions in PostgreSQL's write-ahead log (WAL).

/** Parses a position such as `16/B374D848` into bytes since the beginning of the log. */
export function parseLsn(text: string): number {
  const [high = "", low = ""] = text.split("/");
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}

/** Where a segment lies: its name is the timeline and the number of the segment. */
export type SegmentSpace = { timeline: number; segmentBytes: number };

export function segmentName({ timeline, segmentBytes }: SegmentSpace, position: number): string {
  const number = Math.floor(position / segmentBytes);
  const perLog = 2 ** 32 / segmentBytes;
  return [timeline, Math.floor(number / perLog), number % perLog].map(toHex8).join("");
}

/** Names of the segments from the one that contains `from` to the one that contains the byte before `until`. */
export function segmentsBetween(space: SegmentSpace, from: number, until: number): string[] {
  const names: string[] = [];
  const first = Math.floor(from / space.segmentBytes) * space.segmentBytes;
  for (let at = first; at < until; at += space.segmentBytes) names.push(segmentName(space, at));
  return names;
}

function toHex8(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, "0");
}
