// Formats dates, local times with the name of their zone, and durations.

/** "1 Mar 2027" in UTC. */
export function formatUtcDate(ms: number): string {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(
    ms,
  );
}

/** "1 Mar 2027, 12:00 (Berlin time)"; `timeZone` must be a valid IANA zone. */
export function formatLocalTime(ms: number, timeZone: string): string {
  const time = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  }).format(ms);
  return `${time} (${formatZone(timeZone)})`;
}

/** "Berlin time", "UTC", "UTC+5". Etc/GMT zones have an inverted sign (POSIX). */
export function formatZone(timeZone: string): string {
  const atSea = /^Etc\/GMT([+-])(\d+)$/.exec(timeZone);
  if (atSea) return atSea[2] === "0" ? "UTC" : `UTC${atSea[1] === "+" ? "-" : "+"}${atSea[2]}`;
  if (!timeZone.includes("/") || timeZone.startsWith("Etc/")) return timeZone === "GMT" ? timeZone : "UTC";
  return `${timeZone.slice(timeZone.lastIndexOf("/") + 1).replaceAll("_", " ")} time`;
}

const minuteMs = 60_000;
const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", minuteMs],
] as const;

/** "2 days 3 hours", "5 minutes"; rounded to minutes, at least one. */
export function formatDuration(ms: number): string {
  let left = Math.max(1, Math.round(ms / minuteMs)) * minuteMs;
  const parts = units.flatMap(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return parts.slice(0, 2).join(" ");
}
