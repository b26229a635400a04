// Time slots and series of count charts.

export type Slot = {
  /** Start time. Unlike the label it is unique: when clocks go back, two hours have the same label. */
  at: string;
  /** In the table and the tooltip, e.g. "13:00". */
  label: string;
  /** Label on the axis. If not all labels fit, every second, fourth or eighth is shown. */
  tick?: string | undefined;
  /** One per series; null if unknown. */
  values: readonly (number | null)[];
  /** Why there is no value: `unknown`, `ahead` for the future, or `none` if there is nothing to know. */
  gap?: "unknown" | "ahead" | "none" | undefined;
};

export type Series = {
  name: string;
  /** Drawn as a thin background line, for comparison. */
  quiet?: boolean;
  /** Only in the table. */
  isHidden?: boolean;
};

/** A column of the table only, with one text per slot. */
export type TableColumn = { name: string; cells: readonly string[] };

/** Colors of prominent (`loud`) and quiet series, by their index among the series of the same kind. */
export const seriesColors = {
  loud: ["primary.main", "info.light"],
  quiet: ["text.secondary", "text.disabled"],
} as const;

/** For `seriesColors`. */
export const seriesColorIndex = (series: readonly Series[], index: number): 0 | 1 =>
  series.slice(0, index).some(({ quiet }) => (quiet ?? false) === (series[index]?.quiet ?? false)) ? 1 : 0;

/** Background of shaded spans. Transparent, so that the grid remains visible. */
export const shadeColors = {
  light: "color-mix(in srgb, var(--mui-palette-text-primary) 5%, transparent)",
  dark: "color-mix(in srgb, var(--mui-palette-text-primary) 11%, transparent)",
} as const;
