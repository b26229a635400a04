// Formats datapoints and sums as sheets, in one layout for programs and one for people.
import type { AggregateRow } from "@psp/contract/datapoint/datapoint.api.ts";
import type { Datapoint } from "@psp/contract/datapoint/datapoint.ts";
import { objectClasses } from "@psp/contract/device/device-messages.ts";
import { dateOf, type Zone } from "@psp/contract/kit/zone.ts";
import { type Cell, type Column, type Sheet, timeColumn } from "../kit/row-stream.ts";
import type { Range } from "../counts/bucket.rules.ts";
import type { Subject } from "../counts/subject.store.ts";

export type SheetSubject = { subject: Pick<Subject, "kind" | "id" | "name" | "zone">; range: Range };
export type SheetRow<R> = { shown: SheetSubject; row: R };

/** All types have the same columns; unused ones stay empty. */
const dataColumns = ["line", "in", "out"].concat(
  objectClasses.flatMap((name) => [`${name}In`, `${name}Out`]),
  ["osd", "quality", "count", "issueType", "issueStatus", "issueMessage", "acknowledgedAt", "lat", "lng", "speed"],
);
const dataCells = ({ data }: Datapoint) => dataColumns.map((name) => data[name] as Cell);
const named = (headers: readonly string[]): Column[] => headers.map((header) => ({ header }));

export const datapointSheet: Sheet<SheetRow<Datapoint>> = {
  columns: named(["id", "type", "sens", "measID", "start", "end", "startUTC", "endUTC", ...dataColumns]),
  cells: ({ row }) => [
    row.id,
    row.type,
    row.sens,
    row.measID,
    row.start,
    row.end,
    row.startUTC,
    row.endUTC,
    ...dataCells(row),
  ],
};
export const sumSheet: Sheet<SheetRow<AggregateRow>> = {
  columns: named(["filter", "type", "start", "end", "startUTC", "endUTC", "in", "out", "completeness"]),
  cells: ({ row }) => [
    row.filter,
    row.type,
    row.start,
    row.end,
    row.startUTC,
    row.endUTC,
    row.data.in,
    row.data.out,
    row.completeness,
  ],
};

const subjectColumns: Column[] = [
  { header: "Name", width: 32 },
  { header: "ID", width: 38 },
  { header: "Time zone", width: 20 },
];
const subjectCells = ({ subject }: SheetSubject) => [nameOf(subject), subject.id, subject.zone.name];
const timeColumns = [timeColumn("Start"), timeColumn("End")];
/** Moves the wall-clock time into the UTC fields, as `Cell` requires. */
const localTime = (iso: string) => new Date(`${iso.slice(0, 23)}Z`);
const localTimes = ({ start, end }: { start: string; end: string }) => [localTime(start), localTime(end)];

export const datapointSheetForPeople: Sheet<SheetRow<Datapoint>> = {
  columns: [...subjectColumns, ...timeColumns, ...named(["Type", "Sensor", ...dataColumns.map(inWords)])],
  cells: ({ shown, row }) => [...subjectCells(shown), ...localTimes(row), row.type, row.sens, ...dataCells(row)],
};
export const sumSheetForPeople: Sheet<SheetRow<AggregateRow>> = {
  columns: [
    ...subjectColumns,
    ...timeColumns,
    ...named(["In", "Out"]),
    { header: "Completeness", width: 14, format: "0.0%" },
  ],
  cells: ({ shown, row }) => [...subjectCells(shown), ...localTimes(row), row.data.in, row.data.out, row.completeness],
};

/** `acknowledgedAt` → `Acknowledged at`. */
function inWords(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Sensors have no names. The name is the location's, or the sensor's id if no location is assigned. */
function nameOf({ kind, id, name }: SheetSubject["subject"]): string {
  return kind === "sensor" && name === "" ? id : name;
}

const mostNames = 3;

export function toSheetTitle(shown: readonly SheetSubject[]): string[] {
  return [
    labelOf(shown),
    rangeOf(shown).join(" – ") || "No data",
    unique(shown.map(({ subject }) => subject.zone.name)).join(", "),
  ];
}

/** For instance `Main entrance_2026-10-01_2026-10-31_day.csv`. */
export function toSheetFileName(shown: readonly SheetSubject[], content: string, ending: string): string {
  return `${[labelOf(shown), ...rangeOf(shown), content].join("_")}.${ending}`;
}

function labelOf(shown: readonly SheetSubject[]): string {
  const names = unique(
    shown.map(({ subject }) => {
      const name = nameOf(subject);
      return subject.kind === "sensor" && name !== subject.id ? `${subject.id}, ${name}` : name;
    }),
  );
  return names.length > mostNames ? `${names.length} places` : names.join(", ");
}

/** The first and the last day, each with a time if the range begins or ends within that day. A single entry if both are equal. */
function rangeOf(shown: readonly SheetSubject[]): string[] {
  const some = shown.filter(({ range }) => range.from < range.to);
  const first = some.toSorted((a, b) => a.range.from - b.range.from)[0];
  const last = some.toSorted((a, b) => b.range.to - a.range.to)[0];
  if (!first || !last) return [];
  const [from, to] = [startText(first.subject.zone, first.range.from), endText(last.subject.zone, last.range.to)];
  return unique([from, to]);
}

function startText(zone: Zone, ms: number): string {
  const day = zone.dayAt(ms);
  return zone.dayStart(day) === ms ? dateOf(day).toString() : timeText(zone, ms);
}

function endText(zone: Zone, ms: number): string {
  const day = zone.dayAt(ms);
  return zone.dayStart(day) === ms ? dateOf(zone.dayAt(ms - 1)).toString() : timeText(zone, ms);
}

function timeText(zone: Zone, ms: number): string {
  return new Date(zone.localMs(ms)).toISOString().slice(0, 16).replace("T", " ");
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
