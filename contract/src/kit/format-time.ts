// Formats dates, local times with the name of their zone, and durations.

/** Returns a date in UTC such as "1 Mar 2027". */
export function formatUtcDate(ms: number): string {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(
    ms,
  );
}

/** Returns a text such as "1 Mar 2027, 12:00 (Berlin time)". `timeZone` must be a valid IANA zone. */
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

/** Returns "Berlin time", "UTC" or "UTC+5". Etc/GMT zones have an inverted sign (POSIX): Etc/GMT-5 is UTC+5. */
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

/** Returns a text such as "2 days 3 hours" or "5 minutes". Rounds to minutes, but to at least one. */
export function formatDuration(ms: number): string {
  let left = Math.max(1, Math.round(ms / minuteMs)) * minuteMs;
  const parts = units.flatMap(([unit, length]) => {
    const count = Math.floor(left / length);
    left -= count * length;
    return count === 0 ? [] : [`${count} ${unit}${count === 1 ? "" : "s"}`];
  });
  return parts.slice(0, 2).join(" ");
}
