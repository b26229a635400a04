// Data of count charts: time slots, and prominent or quiet series.

export type Slot = {
  /** Start time. Unique, unlike the label: when clocks go back, two hours share one. */
  at: string;
  /** In the table and the tooltip, e.g. "13:00". */
  label: string;
  /** Axis label. If not all labels fit, every n-th slot that has one is labeled. */
  tick?: string | undefined;
  /** One per series; null if unknown. */
  values: readonly (number | null)[];
  /** Why there is no value: `unknown`, or `ahead` for the future. */
  gap?: "unknown" | "ahead" | undefined;
};

export type Series = {
  name: string;
  /** Drawn as a thin background line, for comparison. */
  quiet?: boolean;
};

/** Colors of prominent and quiet series, each in order. */
export const seriesColors = {
  loud: ["primary.main", "info.light"],
  quiet: ["text.secondary", "text.disabled"],
} as const;

/** Index among the series of the same kind. */
export const seriesColorIndex = (series: readonly Series[], index: number): 0 | 1 =>
  series.slice(0, index).some(({ quiet }) => (quiet ?? false) === (series[index]?.quiet ?? false)) ? 1 : 0;
