// Stored sections of a sensor, the change under trial, and the outcome of the last trial.

/** Values of a section, or of a group within it. */
export type SectionValues = Record<string, unknown>;

/** A section that was set at least once; all others have defaults and revision 1. */
export type StoredSection = {
  rev: number;
  values: SectionValues;
  /** Values active until the next boot, if they differ from the stored ones. */
  running?: SectionValues;
};

/**
 * A change that may cut the connection, until it is confirmed or reverted. Times are those of the clock `net`, because
 * servers compare them with their own.
 */
export type Trial = {
  section: string;
  rev: number;
  before: SectionValues;
  applyAt: number;
  /** Reverts at this time unless confirmed. */
  until: number;
  isApplied: boolean;
};

export type TrialEnd = { section: string; rev: number; outcome: "confirmed" | "rolledBack"; at: number };

export type SectionState = { held: Record<string, StoredSection>; trial: Trial | null; lastTrial: TrialEnd | null };

export function defaultSections(): SectionState {
  return { held: {}, trial: null, lastTrial: null };
}

/**
 * The active values of a section. Values under trial are active only after they were applied. Undefined if the defaults
 * are active.
 */
export function findActiveValues({ held, trial }: SectionState, section: string): SectionValues | undefined {
  return trial?.section === section && !trial.isApplied ? trial.before : held[section]?.values;
}
