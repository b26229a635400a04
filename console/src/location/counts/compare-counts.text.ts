// Texts of the page that compares locations.
import type { BucketSize } from "@psp/contract/counts/count-range.ts";
import type { Grouping } from "@psp/contract/counts/grouping.ts";
import { locationText } from "../location.text.ts";
import { formatCount, formatNumber } from "../../ui/text/numbers.ts";

export const compareText = {
  ...locationText,
  title: "Compare counts", // fixed
  loadFailed: "The counts could not be loaded",
  tooMany: "More than 10,000 locations. Narrow the filters",
  schedule: "Schedule report",
  in: "In",
  out: "Out",
  change: "Change",
  completeness: "Completeness",
  conversion: "Conversion",
  conversionChange: "Conversion change",
  revenuePerVisitor: "Revenue per visitor",
  knownDays: (known: number, all: number) =>
    `Conversion on ${known} of ${all} days with sales. On the others, the people are unknown`,
  skippedDays: (days: number) =>
    `${formatCount(days, "day is", "days are")} left out of the comparison: closed or excluded by an event, in this range or before`,
  curve: "Curve",
  incomplete: "Incomplete",
  incompleteTip: "Not ranked because too much data is missing",
  closed: "Closed",
  closedTip: "Not ranked because the location was closed in this range",
  rank: (rank: number) => `Rank ${rank}`,
  groupBy: "Group by",
  groupings: { none: "None", tag: "Tag", owner: "Owner", country: "Country" } satisfies Record<string, string>,
  nameless: { tag: "No tag", owner: "No owner", country: "No country" } satisfies Record<Grouping, string>,
  group: "Group",
  groups: "Groups of locations",
  countedGroups: (count: number) => formatCount(count, "group"),
  locations: "Locations",
  comparable: (comparable: number, all: number) =>
    `Change across the ${comparable} of ${all} locations with enough data in both ranges`,
  moreFiles: "More files",
  wide: (format: string, step: BucketSize) => `${format} with a column per ${step}`,
  waiting: "The counts are still loading",
  tooManyRows: (format: string, most: number) =>
    `The file would have more than ${formatNumber(most)} rows, the maximum for ${format}. Choose a shorter range.`,
  tooManyColumns: (most: number) =>
    `The file would have more than ${formatNumber(most)} columns. Choose a shorter range.`,
} as const;
