// Parses the query of a /data call: filters (`code:id:type`) and the time range (docs/rules/counts.md#data-service).
import { presetDays } from "@psp/contract/counts/count-range.ts";
import type { downloadJson } from "@psp/contract/datapoint/datapoint.api.ts";
import { type DatapointType, datapointTypes } from "@psp/contract/datapoint/datapoint.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { uuid } from "@psp/contract/kit/ids.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import { AppError } from "../kit/app-error.ts";
import type { Range } from "./bucket.rules.ts";
import { dayNumberOf, dateOf, type Zone } from "@psp/contract/kit/zone.ts";

export type DataFilter = { text: string; kind: "location" | "sensor"; id: string; type: DatapointType | null };

/** The code ends at the first colon, the type starts at the last. Throws 102 for a wrong form, 105 for an impossible id. */
export function parseFilter(text: string): DataFilter {
  const first = text.indexOf(":");
  const code = text.slice(0, first);
  if (first < 0 || (code !== "meas" && code !== "sens"))
    throw new AppError(errorCode.invalidArgument, { field: "filter", reason: "Should be code:id:type" });
  const rest = text.slice(first + 1);
  const whole = idOf(code, rest);
  if (whole) return { ...whole, text, type: null };
  const last = rest.lastIndexOf(":");
  const name = rest.slice(last + 1);
  const type = datapointTypes.find((one) => one === name);
  if (last < 0) throw new AppError(errorCode.notFound, { field: "filter" });
  if (!type) throw new AppError(errorCode.invalidArgument, { field: "filter", reason: `Unknown type ${name}` });
  const found = idOf(code, rest.slice(0, last));
  if (!found) throw new AppError(errorCode.notFound, { field: "filter" });
  return { ...found, text, type };
}

function idOf(code: "meas" | "sens", text: string): Pick<DataFilter, "kind" | "id"> | null {
  if (code === "meas") return uuid.safeParse(text).success ? { kind: "location", id: text.toLowerCase() } : null;
  const mac = parseMac(text);
  return mac ? { kind: "sensor", id: mac } : null;
}

type RangeQuery = Pick<HandlerInput<typeof downloadJson>["query"], "from" | "to" | "preset">;

export const earliestMs = Date.UTC(2000, 0, 1);
export const latestMs = Date.UTC(2100, 0, 1);

/**
 * Resolves the range in a zone. The default is from 20 years ago to the end of tomorrow. Clamped to this century, because nothing
 * else is stored.
 */
export function resolveRange(query: RangeQuery, zone: Zone, nowMs: number): Range {
  if (query.preset && (query.from ?? query.to) !== undefined) {
    throw new AppError(errorCode.invalidArgument, { field: "preset", reason: "Use either preset, or from and to" });
  }
  const today = zone.dayAt(nowMs);
  const days = (from: number, to: number) => ({ from: zone.dayStart(from), to: zone.dayStart(to) });
  if (query.preset) {
    const { first, last } = presetDays(query.preset, today);
    return days(first, last + 1);
  }
  const usual = days(dayNumberOf(dateOf(today).subtract({ years: 20 })), today + 2);
  const from = query.from ? Date.parse(query.from) : usual.from;
  const to = query.to ? Date.parse(query.to) : usual.to;
  if (from > to) throw new AppError(errorCode.invalidArgument, { field: "from", reason: "Should not be after to" });
  return { from: clamp(from), to: clamp(to) };
}

function clamp(ms: number): number {
  return Math.min(Math.max(ms, earliestMs), latestMs);
}
