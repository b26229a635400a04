// Lengths of time in words, of which the two largest units are enough.

const minuteMs = 60_000;
const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", minuteMs],
] as const;

/** "2 days 3 hours", "5 minutes"; rounded to minutes, at least one. */
export function durationWords(ms: number): string {
  let left = Math.max(1, Math.round(ms / minuteMs)) * minuteMs;
  const parts = units.flatMap(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return parts.slice(0, 2).join(" ");
}
