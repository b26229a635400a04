// Numbers the announcements that this process has read, and finds the position in their log that belongs to a number.
import type { Position } from "../db/bus/announcements.ts";

export type Numbers = ReturnType<typeof createNumbers>;

const maxMarks = 10_000;

export function createNumbers() {
  /** After the announcement with this number, the log is read up to this position. */
  let marks: { number: number; position: Position }[] = [];
  let latest = 0;

  function mark(position: Position): void {
    const last = marks.at(-1);
    if (last?.number === latest) last.position = position;
    else marks.push({ number: latest, position });
    if (marks.length > maxMarks * 1.5) marks.splice(0, marks.length - maxMarks);
  }

  return {
    next: () => (latest += 1),
    latest: () => latest,
    mark,
    /** The last position before all announcements after this number; null if it is forgotten. */
    positionAt: (number: number): Position | null => marks.findLast((one) => one.number <= number)?.position ?? null,
    /** Call it when announcements were lost, with the position after them. */
    restart(position: Position): void {
      marks = [];
      latest += 1;
      mark(position);
    },
  };
}
