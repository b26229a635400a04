// Formats times and amounts of sales.

type Times = { start: string; end: string; period: "hour" | "day" };

const zoned = (timeZone: string | null) => ({ timeZone: timeZone ?? "UTC" });

export function formatSaleDay(start: string, timeZone: string | null): string {
  const parts = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  return new Intl.DateTimeFormat("en-GB", { ...parts, ...zoned(timeZone) }).format(new Date(start));
}

export function formatSaleTime({ start, end, period }: Times, timeZone: string | null, wholeDay: string): string {
  if (period === "day") return wholeDay;
  const format = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", ...zoned(timeZone) });
  return `${format.format(new Date(start))}–${format.format(new Date(end))}`;
}
