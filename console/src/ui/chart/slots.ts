// What charts of counts draw: numbers per slot of time, of series that stand out and of quiet ones.

export type Slot = {
  /** When it begins: different for the two hours that have one label in the night in which clocks go back. */
  at: string;
  /** In the table and beside the pointer, e.g. "13:00". */
  label: string;
  /** Below the axis, where it may be marked: every so many of those that have one are. */
  tick?: string | undefined;
  /** One per series; null where nothing is known. */
  values: readonly (number | null)[];
  /** Why there is nothing: it is not known, or has not begun. */
  gap?: "unknown" | "ahead" | undefined;
};

export type Series = {
  name: string;
  /** One that others are compared with: a thin line behind. */
  quiet?: boolean;
};

/** Colors of the series in their order: those that stand out, and the quiet ones. */
export const seriesColors = {
  loud: ["primary.main", "info.light"],
  quiet: ["text.secondary", "text.disabled"],
} as const;

/** Its number among the series of its kind. */
export const placeOf = (series: readonly Series[], index: number): 0 | 1 =>
  series.slice(0, index).some(({ quiet }) => (quiet ?? false) === (series[index]?.quiet ?? false)) ? 1 : 0;
