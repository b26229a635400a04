// Formats counts, shares and changes; a dash means unknown.
import { completenessPercent } from "@psp/contract/counts/count-range.ts";

const count = new Intl.NumberFormat("en");

export const formatSum = (sum: number | null): string => (sum === null ? "–" : count.format(sum));

export const formatCompleteness = (completeness: number | null): string =>
  completeness === null ? "–" : `${completenessPercent(completeness)} %`;

/** "+8 %", "0 %", "−12 %". */
export function formatChange(change: number): string {
  const sign = change > 0 ? "+" : change < 0 ? "\u2212" : "";
  return `${sign}${count.format(Math.abs(change))} %`;
}
