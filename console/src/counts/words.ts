// Numbers of counts as they are read: sums, shares and changes; what is not known is a dash.
import { completenessPercent } from "@psp/contract/counts/count-range.ts";

const count = new Intl.NumberFormat("en");

export const sumWords = (sum: number | null): string => (sum === null ? "–" : count.format(sum));

export const completenessWords = (completeness: number | null): string =>
  completeness === null ? "–" : `${completenessPercent(completeness)} %`;

/** "+8 %", "0 %", "−12 %". */
export function changeWords(change: number): string {
  const sign = change > 0 ? "+" : change < 0 ? "\u2212" : "";
  return `${sign}${count.format(Math.abs(change))} %`;
}
