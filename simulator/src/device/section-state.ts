// What a sensor keeps of its configuration: sections that were set, the change on trial, and how the last trial ended.

/** Values of a section, or of a group in it, as its page shows them. */
export type Values = Record<string, unknown>;

/** A section that was set at least once; one that never was has its defaults and revision 1. */
export type Held = {
  rev: number;
  values: Values;
  /** What runs until the next boot, of the fields that need one; absent: what is held. */
  running?: Values;
};

/** A change that may cut the connection; all times are those of the network's clock, which servers compare with theirs. */
export type Trial = {
  section: string;
  rev: number;
  before: Values;
  applyAt: number;
  /** Without a confirmation the sensor goes back then. */
  until: number;
  isApplied: boolean;
};

export type TrialEnd = { section: string; rev: number; outcome: "confirmed" | "rolledBack"; at: number };

export type SectionState = { held: Record<string, Held>; trial: Trial | null; lastTrial: TrialEnd | null };

/** A configuration as the factory left it. */
export function untouchedSections(): SectionState {
  return { held: {}, trial: null, lastTrial: null };
}

/** What was set of a section and runs now, which a change on trial does only once it was applied; undefined: its defaults do. */
export function inForce({ held, trial }: SectionState, section: string): Values | undefined {
  return trial?.section === section && !trial.isApplied ? trial.before : held[section]?.values;
}
