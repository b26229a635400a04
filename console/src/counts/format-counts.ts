// Formats counts and shares; a dash means unknown.
import { completenessPercent } from "@psp/contract/counts/count-range.ts";

const count = new Intl.NumberFormat("en");

export const formatSum = (sum: number | null): string => (sum === null ? "–" : count.format(sum));

export const formatCompleteness = (completeness: number | null): string =>
  completeness === null ? "–" : `${completenessPercent(completeness)} %`;
