// Texts of the page that compares locations.
import { locationText } from "../location.text.ts";

export const compareText = {
  ...locationText,
  title: "Compare counts", // fixed
  loadFailed: "The counts could not be loaded",
  tooMany: "More than 10,000 locations. Narrow the filters",
  in: "In",
  out: "Out",
  change: "Change",
  completeness: "Completeness",
  curve: "Curve",
  incomplete: "Incomplete",
  incompleteTip: "Not ranked because too much data is missing",
  rank: (rank: number) => `Rank ${rank}`,
} as const;
