// How compared locations, files and reports are grouped (docs/rules/counts.md#groups).
import { z } from "zod";

/** `none` shows locations. A location with several tags counts in the group of each. */
export const groupings = ["none", "tag", "owner", "country"] as const;
export type Grouping = Exclude<(typeof groupings)[number], "none">;
export const groupBySchema = z.enum(groupings);
