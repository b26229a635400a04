// API calls for datapoints, and the data service (docs/rules/counts.md#data-service).
import { z } from "zod";
import { csvStyleQuery, fileNameQuery } from "../kit/csv-style.ts";
import { endpoint } from "../kit/endpoint.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { mac, uuid } from "../kit/ids.ts";
import { pageQuery, pageReply, queryFlag, repeatable } from "../kit/page.ts";
import { instant } from "../kit/time.ts";
import { presets } from "../counts/count-range.ts";
import { datapointSchema, datapointTypes, newDatapointSchema } from "./datapoint.ts";

const type = z.enum(datapointTypes);
const range = { from: instant.optional(), to: instant.optional() };

const datapointListQuery = z.strictObject({
  ...pageQuery(["startUTC", "endUTC", "type"]),
  type: repeatable(type).optional(),
  ...range,
});

export const listLocationDatapoints = endpoint("listLocationDatapoints", "GET", "/measurement/{id}/datapoints", {
  summary: "Datapoints of a location, optionally of one of its sensors",
  params: z.strictObject({ id: uuid }),
  query: datapointListQuery.extend({ sens: repeatable(mac).optional() }),
  reply: pageReply(datapointSchema),
});
export const listSensorDatapoints = endpoint("listSensorDatapoints", "GET", "/sensor/{id}/datapoints", {
  summary: "Datapoints of a sensor",
  params: z.strictObject({ id: mac }),
  query: datapointListQuery.extend({ sens: repeatable(mac).optional() }),
  reply: pageReply(datapointSchema),
});
export const createDatapoint = endpoint("createDatapoint", "POST", "/measurement/{id}/datapoints", {
  summary: "Adds an occupancy datapoint to a location",
  params: z.strictObject({ id: uuid }),
  body: newDatapointSchema,
  reply: datapointSchema.extend({ _id: z.string() }),
});

export const aggregationPeriods = ["hour", "day", "week", "month", "year", "total"] as const;
export type AggregationPeriod = (typeof aggregationPeriods)[number];

export const dataLimits = { filters: 50, rows: 1_000_000 } as const;

/** `meas:<id>[:<type>]` or `sens:<id>[:<type>]`; sensor ids may contain colons. */
const dataFilter = repeatable(boundedText(120).min(3), dataLimits.filters);

const downloadQuery = z.strictObject({
  ...range,
  filter: dataFilter,
  preset: z.enum(presets).optional(),
  token: boundedText(500).optional(),
});
const aggregateQuery = downloadQuery.extend({
  type: type.optional(),
  acc: z.enum(aggregationPeriods).default("day"),
  /** Counts only people within opening hours, where there are any. */
  open: queryFlag.optional(),
});

const aggregateRowSchema = z.object({
  filter: z.string(),
  type,
  start: z.string(),
  end: z.string(),
  startUTC: z.string(),
  endUTC: z.string(),
  data: z.object({ in: z.int().nullable(), out: z.int().nullable() }),
  /** Known seconds ÷ (seconds of the period × sensors assigned at the time), from 0 to 1. 0 only if nothing is known. */
  completeness: z.number(),
});
export type AggregateRow = z.output<typeof aggregateRowSchema>;

export const downloadJson = endpoint("downloadJson", "GET", "/v2/download/json", {
  root: "/data",
  summary: "Raw datapoints as a streamed array",
  query: downloadQuery,
  reply: z.array(datapointSchema),
});
export const downloadCsv = endpoint("downloadCsv", "GET", "/v2/download/csv", {
  root: "/data",
  summary: "Raw datapoints as streamed CSV; with `style=people` for a spreadsheet",
  query: downloadQuery.extend(csvStyleQuery),
  reply: z.string(),
});
export const aggregateJson = endpoint("aggregateJson", "GET", "/v2/aggregate/json", {
  root: "/data",
  summary:
    "Sums per local hour, day, week, month, year or in total, with completeness, up to the current one; without `from`, beginning with the first data",
  query: aggregateQuery,
  reply: z.array(aggregateRowSchema),
});
export const aggregateCsv = endpoint("aggregateCsv", "GET", "/v2/aggregate/csv", {
  root: "/data",
  summary: "The same sums as CSV; with `style=people` for a spreadsheet: title row, names, local times",
  query: aggregateQuery.extend({ ...csvStyleQuery, ...fileNameQuery }),
  reply: z.string(),
});

export const aggregateXlsx = endpoint("aggregateXlsx", "GET", "/v2/aggregate/xlsx", {
  root: "/data",
  summary: "The same sums as a workbook for people: one sheet with title row, names, local times and numbers",
  query: aggregateQuery.extend({ style: csvStyleQuery.style, ...fileNameQuery }),
  binary: true,
  reply: z.unknown(),
});

export const listDeadLetters = endpoint("listDeadLetters", "GET", "/v2/dead-letter", {
  summary: "Records that a sensor sent and that could not be stored, with the reason",
  query: z.strictObject({ ...pageQuery(["at"]), sens: mac }),
  reply: pageReply(
    z.object({
      at: z.string(),
      sens: z.string(),
      ep: z.string(),
      q: z.int().nullable(),
      reason: z.string(),
      record: z.unknown(),
    }),
  ),
});
