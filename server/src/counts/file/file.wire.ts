// Writes blocks as CSV or as a workbook, in the long layout (a row per bucket) or in the wide one (a column per bucket).
import type { Readable } from "node:stream";
import type { BucketSize } from "@psp/contract/counts/count-range.ts";
import { type CsvStyleQuery, separators } from "@psp/contract/kit/csv-style.ts";
import { localIso } from "@psp/contract/kit/zone.ts";
import {
  byteOrderMark,
  type Cell,
  type Column,
  csvCell,
  csvCells,
  type CsvStyle,
  textStream,
  timeColumn,
  xlsxStream,
} from "../../kit/row-stream.ts";
import type { Block } from "./blocks.service.ts";
import { type Calendar, placesIn } from "./calendar.rules.ts";
import { figuresOf, leadCells, leadColumns } from "./columns.rules.ts";
import type { CountsFile } from "./file.service.ts";
import { at, bucketOf, type Steps } from "./steps.rules.ts";

type FileColumn = Column & { name: string };
type Written = Pick<CountsFile, "lead" | "by" | "calendar" | "hasSales" | "blocks">;

/** Lines are buffered up to this length, because writing each line to the stream would be slow. */
const textLength = 8_192;

export function countsCsv(file: Written, { style, separator = "comma" }: CsvStyleQuery): Readable {
  return textStream(csvTexts(file, { separator: separators[separator], title: style === "people" ? [] : null }));
}

async function* csvTexts(file: Written, style: CsvStyle): AsyncGenerator<string> {
  const forPeople = style.title !== null;
  const columns = columnsOf(file);
  const head = columns.map(({ name, header }) => (forPeople ? header : name));
  yield `${forPeople ? byteOrderMark : ""}${csvCells(head, style)}\n`;
  const figures = figuresOf(file);
  const timesOf = createTimes(file, style);
  const wideCells = file.calendar ? createWideCells(file.calendar) : null;
  for await (const block of file.blocks) {
    const lead = csvCells(leadCells(block.subject, forPeople), style) + style.separator;
    if (wideCells) {
      yield `${lead}${csvCells(wideCells(block), style)}\n`;
      continue;
    }
    const timeOf = timesOf(block.steps);
    let text = "";
    for (const [index, row] of block.rows) {
      text += lead + timeOf(index);
      for (const { cell } of figures) text += style.separator + csvCell(cell(row), style);
      text += "\n";
      if (text.length < textLength) continue;
      yield text;
      text = "";
    }
    yield text;
  }
}

/** Returns the texts of start and end by bucket. They are formatted once per zone, because its locations share them. */
function createTimes({ lead }: Written, { separator, title }: CsvStyle) {
  const format = (steps: Steps, ms: number): string => {
    if (title) return new Date(steps.zone.localMs(ms)).toISOString().slice(0, 19).replace("T", " ");
    const iso = localIso(steps.zone, ms);
    // Groups may span zones, so their local times have no offset.
    return lead === "group" ? iso.slice(0, 23) : iso;
  };
  const known = new WeakMap<Steps, string[]>();
  return (steps: Steps) => {
    const texts = known.get(steps) ?? [];
    known.set(steps, texts);
    return (index: number): string => {
      const { from, to } = bucketOf(steps, index);
      return (texts[index] ??= format(steps, from) + separator + format(steps, to));
    };
  };
}

/** A header row and no title, so that the sheet can be used as a table; strings, numbers and dates are typed. */
export function countsXlsx(file: Written): Readable {
  return xlsxStream({ columns: columnsOf(file), cells: (row: Cell[]) => row }, workbookRows(file), null);
}

async function* workbookRows(file: Written): AsyncGenerator<Cell[]> {
  const wideCells = file.calendar ? createWideCells(file.calendar) : null;
  const figures = figuresOf(file);
  for await (const { subject, steps, rows } of file.blocks) {
    const lead = leadCells(subject, true);
    if (wideCells) {
      yield [...lead, ...wideCells({ steps, rows })];
      continue;
    }
    // A `Cell` holds the wall-clock time in the UTC fields.
    const time = (ms: number) => new Date(steps.zone.localMs(ms));
    for (const [index, row] of rows) {
      const { from, to } = bucketOf(steps, index);
      yield [...lead, time(from), time(to), ...figures.map(({ cell }) => cell(row))];
    }
  }
}

function columnsOf({ lead, by, calendar, hasSales }: Written): FileColumn[] {
  const values = calendar ? bucketColumns(by, calendar) : [...timeColumns, ...figuresOf({ hasSales })];
  return [...leadColumns[lead], ...values];
}

const timeColumns: readonly FileColumn[] = [
  { name: "start", ...timeColumn("Start") },
  { name: "end", ...timeColumn("End") },
];

const labelLength: Record<BucketSize, number> = { hour: 16, day: 10, week: 10, month: 7 };

function bucketColumns(by: BucketSize, { steps }: Calendar): FileColumn[] {
  return Array.from({ length: steps.count }, (_, index) => {
    const label = new Date(at(steps.edges, index)).toISOString().slice(0, labelLength[by]).replace("T", " ");
    return { name: label, header: label };
  });
}

/** Returns people in by bucket of the calendar. Both occurrences of a repeated hour are one column. */
function createWideCells(calendar: Calendar) {
  const places = new WeakMap<Steps, Int32Array>();
  return ({ steps, rows }: Pick<Block, "steps" | "rows">): Cell[] => {
    const own = places.get(steps) ?? placesIn(calendar, steps);
    places.set(steps, own);
    const cells = Array.from({ length: calendar.steps.count }, (): number | null => null);
    for (const [index, row] of rows) {
      const place = own[index] ?? -1;
      if (row.in !== null && place in cells) cells[place] = (cells[place] ?? 0) + row.in;
    }
    return cells;
  };
}
