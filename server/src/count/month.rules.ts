// Computes UTC months, by which counts are packed.

/** Months since January 1970. */
export function utcMonth(ms: number): number {
  const date = new Date(ms);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
export function utcMonthStart(month: number): number {
  return Date.UTC(1970, month, 1);
}
