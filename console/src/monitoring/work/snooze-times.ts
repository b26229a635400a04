// Ends of snoozes in the browser's time zone.

export type SnoozeChoice = "tomorrow" | "week" | "date" | "end";

const morning = 8;

function morningOf(now: Date, daysLater: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + daysLater, morning);
}

/** The end as an ISO time, or null to end the snooze. Undefined if the date is missing, past, or more than a year ahead. */
export function toSnoozeEnd(choice: SnoozeChoice, date: string, now: Date): string | null | undefined {
  if (choice === "end") return null;
  if (choice !== "date") return morningOf(now, choice === "tomorrow" ? 1 : 7).toISOString();
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const end = new Date(year, month - 1, day, morning);
  const isUsable = date !== "" && end > now && end <= morningOf(now, 365);
  return isUsable ? end.toISOString() : undefined;
}
