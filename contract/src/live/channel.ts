// Constants of the live channel, without zod because they are on the console's critical path.

/** WebSocket close codes (docs/rules/live-channel.md#close-codes). */
export const closeCodes = {
  logout: 4000,
  sessionEnded: 4401,
  roleChanged: 4403,
  tooSlow: 4408,
  goingAway: 1001,
} as const;

/**
 * Response header with a cursor, set by the session calls. A client that opens the live channel with this cursor misses no
 * message since that response.
 */
export const liveCursorHeader = "x-live-since";

/** Maximum number of objects whose counts a page watches. */
export const maxWatched = 100;
