// Numbers that both ends of the live socket know; the console's start needs them without any schema.

/** Close codes of the live socket (docs/rules/live-channel.md#close-codes). */
export const closeCodes = {
  logout: 4000,
  sessionEnded: 4401,
  roleChanged: 4403,
  tooSlow: 4408,
  goingAway: 1001,
} as const;

/** Header of the answers about the session: a page that joins the live channel with this cursor misses nothing since then. */
export const sinceHeader = "x-live-since";

/** The most objects that a page shows counts of. */
export const maxWatched = 100;
