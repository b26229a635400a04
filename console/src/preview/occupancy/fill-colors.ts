// Occupancy colors, always shown together with numbers.
import type { FillStep } from "./occupancy.ts";

const mixed = (color: string, percent: number) =>
  `color-mix(in srgb, var(--mui-palette-${color}-main) ${percent}%, var(--mui-palette-background-paper))`;

/** Light enough for text in both themes. */
export const areaColors: Readonly<Record<FillStep, string>> = {
  low: mixed("primary", 14),
  middle: mixed("primary", 40),
  high: mixed("warning", 40),
  full: mixed("error", 40),
  unknown: "var(--mui-palette-background-paper)",
};

/** Strong enough to stand out from the empty part of a bar. */
export const barColors: Readonly<Record<Exclude<FillStep, "unknown">, string>> = {
  low: "var(--mui-palette-primary-main)",
  middle: "var(--mui-palette-primary-main)",
  high: "var(--mui-palette-warning-main)",
  full: "var(--mui-palette-error-main)",
};
