// The API call that streams the counts of many locations as a file (docs/rules/counts.md#files-over-many-locations).
import { z } from "zod";
import { boundedText } from "../kit/bounded-text.ts";
import { csvStyleQuery, fileNameQuery } from "../kit/csv-style.ts";
import { endpoint } from "../kit/endpoint.ts";
import { bucketSizes } from "./count-range.ts";
import { comparisonSchema, countedLocationsFilter, openOnly, rangeSchema } from "./counts.query.ts";
import { groupBySchema } from "./grouping.ts";

export const fileFormats = ["csv", "xlsx"] as const;
export type FileFormat = (typeof fileFormats)[number];

/** `long` has a row per location and bucket, `wide` a row per location and a column per bucket. */
export const fileLayouts = ["long", "wide"] as const;
export type FileLayout = (typeof fileLayouts)[number];

/** A workbook has 1,048,576 rows, one of them the header. */
export const fileLimits = {
  csvRows: 10_000_000,
  xlsxRows: 1_048_575,
  columns: 16_384,
  locations: 100_000,
} as const;

export const countsFile = endpoint("countsFile", "GET", "/v2/counts/file", {
  root: "/data",
  summary:
    "Counts of all visible locations that match, or of groups of them, as one CSV file or workbook; each location in its own zone, up to the current bucket",
  query: z.strictObject({
    format: z.enum(fileFormats).default("csv"),
    layout: z.enum(fileLayouts).default("long"),
    ...countedLocationsFilter,
    range: rangeSchema,
    by: z.enum(bucketSizes).optional(),
    open: openOnly,
    compare: comparisonSchema.optional(),
    groupBy: groupBySchema.optional(),
    ...csvStyleQuery,
    ...fileNameQuery,
    token: boundedText(500).optional(),
  }),
  binary: true,
  reply: z.unknown(),
});
