// Chooses what a restore to a given time needs: the base backup, and the WAL after it.
import { parseLsn, segmentName, type SegmentSpace } from "../db/postgres/wal.ts";

type Base = SegmentSpace & { name: string; startLsn: string; point: { lsn: string; at: string } };

/** The newest base backup that was complete at this time, or the newest of all. */
export function chooseBase<B extends Base>(bases: readonly B[], at: Date | null): B | null {
  const usable = bases.filter(({ point }) => at === null || new Date(point.at) <= at);
  return usable.toSorted((a, b) => a.point.at.localeCompare(b.point.at)).at(-1) ?? null;
}

export type Segment = { name: string; from: "base" | "archive" };

/**
 * Lists the segments without gaps. The archive is preferred, except where it holds less than the base backup does: until the restore
 * point.
 */
export function planSegments(
  base: Base,
  archived: ReadonlyMap<string, number>,
): { segments: Segment[]; isArchived: boolean; hasGap: boolean } {
  const pointAt = parseLsn(base.point.lsn);
  const { segmentBytes } = base;
  const segments: Segment[] = [];
  let at = Math.floor(parseLsn(base.startLsn) / segmentBytes) * segmentBytes;
  let isArchived = false;
  for (; ; at += segmentBytes) {
    const name = segmentName(base, at);
    const needed = Math.min(segmentBytes, pointAt - at);
    const held = archived.get(name) ?? 0;
    if (held > 0 && held >= needed) {
      segments.push({ name, from: "archive" });
      isArchived ||= at + held > pointAt;
      if (held < segmentBytes) break;
    } else if (needed > 0) segments.push({ name, from: "base" });
    else break;
  }
  const last = segments.at(-1)?.name ?? "";
  return { segments, isArchived, hasGap: [...archived.keys()].some((name) => name > last) };
}
