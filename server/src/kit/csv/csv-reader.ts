// Streaming CSV parser (RFC 4180) with bounded memory. A malformed row is reported and parsing resumes after it (ADR 0002).

/** One row of the file. Rows are numbered from 1, as in a spreadsheet. Blank lines are numbered but not returned. */
export type CsvRow = { number: number; cells: string[]; fault: string | null };
export type Delimiter = ";" | "," | "\t";

/** Maximum characters of a row. */
const maxRow = 65_536;
const faults = {
  unclosed: "A quote is never closed",
  tooLong: "The row is too long, or a quote is never closed",
  afterQuote: "There is text behind a closing quote",
} as const;

type Scanned = { cells: string[]; fault: string | null; next: number };

/** `push` returns the rows that the part completes, and `end` returns the remaining rows. */
export function createCsvReader(delimiter: Delimiter): { push(part: string): CsvRow[]; end(): CsvRow[] } {
  let text = "";
  let number = 0;
  /** Whether the current line could not be parsed and is skipped. */
  let skipping = false;

  function read(atEnd: boolean): CsvRow[] {
    const rows: CsvRow[] = [];
    let from = 0;
    while (from < text.length) {
      if (skipping) {
        const line = endOfLine(text, from, atEnd);
        from = line ?? text.length;
        skipping = line === null;
        continue;
      }
      const scanned = scanRow(text, from, delimiter, atEnd);
      const length = (scanned?.next ?? text.length) - from;
      if (scanned && length <= maxRow) {
        number += 1;
        from = scanned.next;
        if (scanned.cells.length > 1 || scanned.cells[0] !== "" || scanned.fault !== null)
          rows.push({ number, cells: scanned.cells, fault: scanned.fault });
        continue;
      }
      if (!scanned && !atEnd && length <= maxRow) break;
      // Skip only the first line of the malformed row: the lines after it may be valid rows.
      number += 1;
      rows.push({ number, cells: [], fault: length > maxRow ? faults.tooLong : faults.unclosed });
      skipping = true;
    }
    text = text.slice(from);
    return rows;
  }
  return {
    push(part) {
      text += part;
      return read(false);
    },
    end: () => read(true),
  };
}

/** Null if the text ends within the row. */
function scanRow(text: string, from: number, delimiter: Delimiter, atEnd: boolean): Scanned | null {
  const stopper = delimiter === "\t" ? /[\t\r\n]/g : delimiter === ";" ? /[;\r\n]/g : /[,\r\n]/g;
  const cells: string[] = [];
  let fault: string | null = null;
  let at = from;
  for (;;) {
    const isQuoted = text[at] === '"';
    const quoted = isQuoted ? scanQuoted(text, at + 1, atEnd) : { cell: "", next: at };
    if (!quoted) return null;
    stopper.lastIndex = quoted.next;
    const stop = stopper.exec(text)?.index ?? text.length;
    if (stop === text.length && !atEnd) return null;
    const rest = text.slice(quoted.next, stop);
    if (isQuoted && rest.trim() !== "") fault = faults.afterQuote;
    cells.push(isQuoted ? quoted.cell : rest);
    at = stop + 1;
    if (text[stop] === delimiter) continue;
    if (text[stop] !== "\r") return { cells, fault, next: Math.min(at, text.length) };
    // The line feed of a CRLF may be in the next part.
    if (at === text.length && !atEnd) return null;
    return { cells, fault, next: text[at] === "\n" ? at + 1 : at };
  }
}

/** Reads a quoted cell, starting after its opening quote; null if the closing quote is missing. */
function scanQuoted(text: string, from: number, atEnd: boolean): { cell: string; next: number } | null {
  let cell = "";
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1 || (quote + 1 === text.length && !atEnd)) return null;
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { cell, next: quote + 1 };
    cell += '"';
    at = quote + 2;
  }
}

/** Start of the next line, or null if the line does not end within the text. */
function endOfLine(text: string, from: number, atEnd: boolean): number | null {
  const stopper = /[\r\n]/g;
  stopper.lastIndex = from;
  const stop = stopper.exec(text)?.index;
  if (stop === undefined) return null;
  if (text[stop] === "\n") return stop + 1;
  if (stop + 1 === text.length && !atEnd) return null;
  return text[stop + 1] === "\n" ? stop + 2 : stop + 1;
}
