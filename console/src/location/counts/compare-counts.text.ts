// Every sentence of the page that compares locations.
import { locationText } from "../location.text.ts";

export const compareText = {
  ...locationText,
  title: "Compare counts",
  loadFailed: "The counts could not be loaded",
  tooMany: "More than 10,000 locations: narrow the filters",
  in: "In",
  out: "Out",
  change: "Change",
  completeness: "Completeness",
  curve: "Curve",
  incomplete: "Incomplete",
  incompleteTip: "Too little is known to rank this location: a gap is not a lower count",
  rank: (rank: number) => `Rank ${rank}`,
} as const;
