// Sets of record numbers as sorted inclusive pairs.

export type Range = [from: number, to: number];

/** Adds numbers that are above all others, as new records are. */
export function appendRange(ranges: Range[], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last && last[1] === from - 1) last[1] = to;
  else ranges.push([from, to]);
}

export function hasNumber(ranges: readonly Range[], number: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (!range || number < range[0]) high = middle - 1;
    else if (number > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

export function countOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}

export function intersection(a: readonly Range[], b: readonly Range[]): Range[] {
  const both: Range[] = [];
  for (const [from, to] of a) {
    for (const [low, high] of b) {
      const [start, end] = [Math.max(from, low), Math.min(to, high)];
      if (start <= end) both.push([start, end]);
    }
  }
  return both;
}

/** What of `a` is not in `b`; `b` sorted. */
export function difference(a: readonly Range[], b: readonly Range[]): Range[] {
  const left: Range[] = [];
  for (const [from, to] of a) {
    let start = from;
    for (const [low, high] of b) {
      if (high < start || low > to) continue;
      if (low > start) left.push([start, low - 1]);
      start = high + 1;
    }
    if (start <= to) left.push([start, to]);
  }
  return left;
}

/** Puts any pairs in order and joins what touches. */
export function normalized(ranges: readonly (readonly [number, number])[]): Range[] {
  const joined: Range[] = [];
  for (const [from, to] of ranges.toSorted((x, y) => x[0] - y[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else if (from <= to) joined.push([from, to]);
  }
  return joined;
}
