// Dates and times in words, with the place that a clock belongs to.

/** "1 Mar 2027" of an instant in UTC. */
export function dateWords(ms: number): string {
  return new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).format(
    ms,
  );
}

/** "1 Mar 2027, 12:00 (Berlin time)" of an instant, by an IANA zone that exists. */
export function timeWords(ms: number, timeZone: string): string {
  const time = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  }).format(ms);
  return `${time} (${zoneWords(timeZone)})`;
}

/** "Berlin time", "Buenos Aires time", "UTC", "UTC+5"; zones at sea are named by their offset, with the sign turned round (POSIX). */
export function zoneWords(timeZone: string): string {
  const atSea = /^Etc\/GMT([+-])(\d+)$/.exec(timeZone);
  if (atSea) return atSea[2] === "0" ? "UTC" : `UTC${atSea[1] === "+" ? "-" : "+"}${atSea[2]}`;
  if (!timeZone.includes("/") || timeZone.startsWith("Etc/")) return timeZone === "GMT" ? timeZone : "UTC";
  return `${timeZone.slice(timeZone.lastIndexOf("/") + 1).replaceAll("_", " ")} time`;
}
