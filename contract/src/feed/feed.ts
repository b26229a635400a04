// Occupancy statuses of GTFS-Realtime that the feed uses.
export const occupancyStatuses = [
  "EMPTY",
  "MANY_SEATS_AVAILABLE",
  "FEW_SEATS_AVAILABLE",
  "STANDING_ROOM_ONLY",
  "FULL",
  "NOT_ACCEPTING_PASSENGERS",
  "NO_DATA_AVAILABLE",
] as const;
export type OccupancyStatus = (typeof occupancyStatuses)[number];
