// Constants of the live socket without zod, for the console's critical path.

/** WebSocket close codes (docs/rules/live-channel.md#close-codes). */
export const closeCodes = {
  logout: 4000,
  sessionEnded: 4401,
  roleChanged: 4403,
  tooSlow: 4408,
  goingAway: 1001,
} as const;

/**
 * Response header of the session calls that holds a cursor; a client that joins the live channel with it misses nothing
 * since that response.
 */
export const sinceHeader = "x-live-since";

/** Maximum number of objects whose counts a page watches. */
export const maxWatched = 100;
