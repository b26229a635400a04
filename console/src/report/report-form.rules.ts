// The form of a report as values: from a report, from the filters of the comparison page, and back.
import { comparisons, type Comparison } from "@psp/contract/counts/count-range.ts";
import { groupings, type Grouping } from "@psp/contract/counts/grouping.ts";
import { uuid } from "@psp/contract/kit/ids.ts";
import { type ReportRange, reportRanges } from "@psp/contract/report/report-range.ts";
import {
  maxRecipients,
  type NewReport,
  type Report,
  type ReportChange,
  type ReportContent,
  type ReportFilters,
  type ReportFormat,
} from "@psp/contract/report/report.ts";
import type { Schedule } from "@psp/contract/report/schedule.ts";
import { emailPattern } from "@psp/contract/account/email.ts";
import type { WeekDay } from "@psp/contract/monitoring/limits.ts";
import { parseSearch } from "../address/address.ts";
import type { NameAndOwner } from "../entity/name-and-owner.tsx";
import { reportsText as text } from "./reports.text.ts";

export type ReportFields = NameAndOwner & {
  recipients: string[];
  range: ReportRange;
  compare: Comparison | "none";
  groupBy: Grouping | "none";
  every: Schedule["every"];
  weekday: WeekDay;
  monthDay: number;
  at: string;
  /** Empty: the zone of the first location. */
  zone: string;
  content: ReportContent[];
  formats: ReportFormat[];
  isOpenOnly: boolean;
  isEnabled: boolean;
  filters: ReportFilters;
};

const contents: ReportContent[] = ["summary", "sales", "chart", "ranking", "gaps"];

const emptyReport: ReportFields = {
  name: "",
  owner: null,
  recipients: [],
  range: "lastWeek",
  compare: "previous",
  groupBy: "none",
  every: "week",
  weekday: "mo",
  monthDay: 1,
  at: "07:00",
  zone: "",
  content: contents.filter((one) => one !== "sales"),
  formats: ["pdf"],
  isOpenOnly: false,
  isEnabled: true,
  filters: {},
};

const rangeOf: Record<string, ReportRange> = {
  today: "yesterday",
  last30days: "lastMonth",
  thisYear: "lastMonth",
};
const everyOf: Record<ReportRange, Schedule["every"]> = {
  yesterday: "day",
  lastWeek: "week",
  lastMonth: "month",
  monthToDate: "week",
};

const listOf = (value: string | string[] | undefined) => (value === undefined ? [] : [value].flat());

/** Takes over the range and filters of the comparison page; `of` is the query of its address. */
export function prefill(of: string, zone: string): ReportFields {
  if (of === "") return { ...emptyReport, zone };
  const search = parseSearch(of);
  const shown = String(search["range"]);
  const range = reportRanges.find((one) => one === shown) ?? rangeOf[shown] ?? "lastWeek";
  const ids = listOf(search["ids"]).filter((id) => uuid.safeParse(id).success);
  const [tag, tagAny, ownerID, country] = (["tag", "tagAny", "ownerID", "country"] as const).map((name) =>
    listOf(search[name]),
  );
  const some = <T>(name: string, list: readonly T[] | undefined) =>
    list === undefined || list.length === 0 ? {} : { [name]: list };
  return {
    ...emptyReport,
    zone,
    name: text.prefilledName(range),
    range,
    every: everyOf[range],
    compare: comparisons.find((one) => one === search["compare"]) ?? "previous",
    groupBy: groupings.find((one) => one === search["groupBy"]) ?? "none",
    isOpenOnly: search["open"] !== "off",
    filters: {
      ...some("ids", ids),
      ...(typeof search["name"] === "string" ? { name: search["name"] } : {}),
      ...some("tag", tag),
      ...some("tagAny", tagAny),
      ...some("ownerID", ownerID),
      ...some("country", country),
      ...(typeof search["occupancy"] === "string" ? { occupancy: search["occupancy"] === "true" } : {}),
    },
  };
}

export function toFields(row: Report): ReportFields {
  const { schedule } = row;
  return {
    name: row.name,
    owner: { id: row.owner._id, name: row.owner.name },
    recipients: (row.recipients ?? []).map(({ email }) => email),
    range: row.range,
    compare: row.compare ?? "none",
    groupBy: row.groupBy,
    every: schedule.every,
    weekday: schedule.every === "week" ? schedule.on : "mo",
    monthDay: schedule.every === "month" ? schedule.on : 1,
    at: schedule.at,
    zone: schedule.zone ?? "",
    content: contents.filter((one) => row.content.includes(one)),
    formats: row.formats,
    isOpenOnly: row.open,
    isEnabled: row.enabled,
    filters: row.filters,
  };
}

function toSchedule({ every, weekday, monthDay, at, zone }: ReportFields): Schedule {
  const time = { at, zone: zone === "" ? null : zone };
  if (every === "day") return { every, ...time };
  return every === "week" ? { every, on: weekday, ...time } : { every, on: monthDay, ...time };
}

const toWire = (values: ReportFields) => ({
  recipients: values.recipients,
  range: values.range,
  compare: values.compare === "none" ? null : values.compare,
  groupBy: values.groupBy,
  content: values.content,
  formats: values.formats,
  open: values.isOpenOnly,
  enabled: values.isEnabled,
  filters: values.filters,
  schedule: toSchedule(values),
});

const wireNames: Partial<Record<keyof ReportFields, keyof ReturnType<typeof toWire>>> = {
  recipients: "recipients",
  range: "range",
  compare: "compare",
  groupBy: "groupBy",
  content: "content",
  formats: "formats",
  isOpenOnly: "open",
  isEnabled: "enabled",
  filters: "filters",
  every: "schedule",
  weekday: "schedule",
  monthDay: "schedule",
  at: "schedule",
  zone: "schedule",
};

export const toNewReport = (values: ReportFields, owner: { id: string }) =>
  ({
    ...toWire(values),
    name: values.name.trim(),
    owner: owner.id,
    by: null,
    language: "en" as const,
  }) satisfies NewReport;

export function toChange(values: ReportFields, changed: readonly (keyof ReportFields)[]): ReportChange {
  const wire = toWire(values);
  const names = new Set(changed.flatMap((field) => wireNames[field] ?? []));
  return {
    ...(changed.includes("name") ? { name: values.name.trim() } : {}),
    ...(changed.includes("owner") && values.owner !== null ? { owner: values.owner.id } : {}),
    ...Object.fromEntries([...names].map((name) => [name, wire[name]])),
  };
}

export function findRecipientsError(recipients: readonly string[]): string | undefined {
  if (recipients.length === 0) return text.recipientsRequired;
  if (recipients.length > maxRecipients) return text.tooManyRecipients;
  const wrong = recipients.find((email) => !emailPattern.test(email));
  return wrong === undefined ? undefined : text.recipientInvalid(wrong);
}

/** "Every Monday at 07:00 (Europe/Berlin)"; the reader's own zone is left out. */
export function scheduleText(schedule: Schedule, here: string): string {
  const day =
    schedule.every === "day"
      ? "Every day"
      : schedule.every === "week"
        ? `Every ${text.weekdays[schedule.on]}`
        : `On day ${schedule.on} of every month`;
  return `${day} at ${schedule.at}${schedule.zone === null || schedule.zone === here ? "" : ` (${schedule.zone})`}`;
}

export function filtersText({ ids, name, tag, tagAny, ownerID, country, occupancy }: ReportFilters): string {
  const words = text.filters;
  const parts = [
    ids === undefined ? null : words.ids(ids.length),
    name ? words.name(name) : null,
    tag === undefined || tag.length === 0 ? null : words.tag(tag.join(", ")),
    tagAny === undefined ? null : words.tagAny(tagAny.join(", ")),
    ownerID === undefined ? null : words.ownerID(ownerID.length),
    country === undefined ? null : words.country(country.join(", ")),
    occupancy === undefined ? null : words.occupancy(occupancy),
  ].filter((part) => part !== null);
  return parts.length === 0 ? text.allLocations : `${text.locations} ${parts.join(", ")}`;
}
