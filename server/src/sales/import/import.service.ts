// Imports sales of many locations from a CSV file: reads it row by row, then stores all of it or nothing.
import { createHash } from "node:crypto";
import { errorCode } from "@psp/contract/errors.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { canEdit } from "@psp/contract/permission/can.ts";
import {
  salesImportLimits,
  type SalesImportResult,
  type SalesProblem,
  type SalesProblemKind,
} from "@psp/contract/sales/sales.import.ts";
import type { Context } from "../../context.ts";
import { cancelOnAbort, type Reader } from "../../db/database.ts";
import { write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { createCsvReader, type CsvRow } from "../../kit/csv/csv-reader.ts";
import { type CsvFile, decodeChunks, detectEncoding, parseSepLine } from "../../kit/csv/csv-text.ts";
import { createBoundedQueue } from "../../kit/limits/keyed-queue.ts";
import {
  findLocationsByKeys,
  lockUnchangedLocations,
  type NamedPlace,
} from "../../location/location.lookup.service.ts";
import { reloadCaller } from "../../role/rights.service.ts";
import { salesReasons } from "../sales.reasons.ts";
import { findClashes, type Entry } from "../sales.rules.ts";
import { countOutcomes, iso, planSales, writeSales } from "../sales.writing.service.ts";
import { fileFault, findSalesHeader, type SalesHeader } from "./header.rules.ts";
import { type Fault, readEntry, readRow, type ReadRow } from "./row.rules.ts";

type Order = {
  file: CsvFile & { sha256: Buffer };
  dryRun?: boolean | undefined;
  skipInvalid?: boolean | undefined;
};
type Accepted = { row: number; place: NamedPlace; entry: Entry };
type Sheet = { unused: string[]; rows: number; accepted: Accepted[]; problems: SalesProblem[] };

const line = { max: 8, maxPerKey: 2 };
/** The header must lie within this many characters. */
const maxHead = 65_536;
/** Rows whose locations are looked up at once. */
const rowsAtOnce = 1000;

/** `signal` is aborted when the client or the right is gone, `closing` when the server stops. */
type Ends = { signal: AbortSignal; closing: AbortSignal };

/** Runs one import at a time. A few wait in a queue; further ones get 429. */
export function createSalesImporter(ctx: Context) {
  const inTurn = createBoundedQueue(line);
  return (caller: Caller, order: Order, { signal, closing }: Ends): Promise<SalesImportResult> =>
    inTurn(caller.id, async () => {
      signal.throwIfAborted();
      const own = { ...ctx, db: cancelOnAbort(ctx.db, AbortSignal.any([signal, closing])) };
      try {
        return await (order.dryRun ? previewImport(own, caller, order) : runImport(own, caller, order));
      } catch (error) {
        // PostgreSQL reports the canceled statement as an error.
        signal.throwIfAborted();
        throw closing.aborted ? stopping() : error;
      }
    });
}

function stopping(): AppError {
  const details = { reason: "The server is restarting. Import the file again" };
  return new AppError(errorCode.internalError, details, { status: 503, headers: { "retry-after": "10" } });
}

async function previewImport(ctx: Context, caller: Caller, { file }: Order): Promise<SalesImportResult> {
  const sheet = await readSheet(ctx, ctx.db, caller, file);
  return (await planSheet(ctx.db, sheet, true)).result;
}

/** Throws 102 with the problems if a row is invalid and invalid rows are not to be skipped. */
function runImport(ctx: Context, caller: Caller, order: Order): Promise<SalesImportResult> {
  return write(ctx, withDigest(caller, order.file.sha256), async (w) => {
    const sheet = await readSheet(ctx, w.tx, await reloadCaller(w.tx, caller), order.file);
    await lockUnchangedLocations(w.tx, placesOf(sheet.accepted));
    const { result, valid, plan } = await planSheet(w.tx, sheet, false);
    if (result.invalid > 0 && order.skipInvalid !== true) {
      const { rows, invalid, problems, problemCounts } = result;
      const reason = `${invalid.toLocaleString("en")} of ${rows.toLocaleString("en")} rows can't be imported, so nothing was stored`;
      throw fileFault(reason, { rows, invalid, problemCounts, problems });
    }
    await writeSales(w, valid, plan);
    return result;
  });
}

const placesOf = (accepted: readonly Accepted[]) => [
  ...new Map(accepted.map(({ place }) => [place.id, place])).values(),
];

async function readSheet(ctx: Context, reader: Reader, caller: Caller, file: CsvFile): Promise<Sheet> {
  const encoding = await detectEncoding(file);
  let head = "";
  for await (const part of decodeChunks(file, encoding)) {
    head += part;
    if (head.length >= maxHead) break;
  }
  const { length: skipped, delimiter } = parseSepLine(head);
  const header = findSalesHeader(head.slice(skipped), head.length < maxHead, delimiter);
  const judge = createJudge(ctx, reader, caller);
  const sheet: Sheet = { unused: header.unused, rows: 0, accepted: [], problems: [] };
  const csv = createCsvReader(header.delimiter);
  const take = async (rows: readonly CsvRow[]) => {
    const below = rows.filter(({ number }) => number > header.number);
    sheet.rows += below.length;
    if (sheet.rows > salesImportLimits.rows)
      throw fileFault(`The file has more than ${salesImportLimits.rows.toLocaleString("en")} rows`);
    for (let from = 0; from < below.length; from += rowsAtOnce)
      await judge(below.slice(from, from + rowsAtOnce), header, sheet);
  };
  for await (const part of decodeChunks(file, encoding, skipped)) await take(csv.push(part));
  await take(csv.end());
  return sheet;
}

/** Caches the locations that rows name, and the times already taken at them. */
function createJudge(ctx: Context, reader: Reader, caller: Caller) {
  const known = new Map<string, readonly NamedPlace[]>();
  const taken = new Set<string>();
  const nowMs = ctx.clock.now();
  return async (rows: readonly CsvRow[], header: SalesHeader, sheet: Sheet): Promise<void> => {
    const read = rows.map((row) => readRow(row, header));
    const keys = new Set(read.flatMap((one) => ("cells" in one ? [one.cells.location] : [])));
    const fresh = [...keys].filter((key) => key !== "" && !known.has(key));
    if (fresh.length > 0)
      for (const [key, places] of await findLocationsByKeys(reader, caller, fresh)) known.set(key, places);
    for (const one of read) {
      const judged = judgeRow(one, caller, known, taken, nowMs);
      if ("fault" in judged) sheet.problems.push({ row: one.row, ...judged.fault });
      else {
        taken.add(`${judged.place.id} ${judged.entry.startMs}`);
        sheet.accepted.push({ row: one.row, ...judged });
      }
    }
  };
}

function judgeRow(
  one: ReadRow,
  caller: Caller,
  known: ReadonlyMap<string, readonly NamedPlace[]>,
  taken: ReadonlySet<string>,
  nowMs: number,
): { place: NamedPlace; entry: Entry } | { fault: Fault } {
  if ("fault" in one) return one;
  const { cells } = one;
  const [place, ...others] = known.get(cells.location) ?? [];
  const fault = (kind: SalesProblemKind, reason: string) => ({ fault: { kind, reason } });
  if (cells.location === "") return fault("unknownLocation", "Location: the cell is empty");
  if (place === undefined) return fault("unknownLocation", `No location has the name or ID ${cells.location}`);
  if (others.length > 0) return fault("ambiguousLocation", `Several locations have the name or ID ${cells.location}`);
  if (!canEdit(caller, "measurement", place.owner))
    return fault("noRight", `You can't edit the location ${place.name}`);
  const read = readEntry(zoneOf(place.timezone), cells, nowMs, (startMs) => taken.has(`${place.id} ${startMs}`));
  return "fault" in read ? read : { place, entry: read.entry };
}

async function planSheet(reader: Reader, sheet: Sheet, dryRun: boolean) {
  const clashing = new Map<Accepted, SalesProblem>();
  for (const list of Map.groupBy(sheet.accepted, ({ place }) => place.id).values())
    for (const { index, other, isDuplicate } of findClashes(list.map(({ entry }) => entry))) {
      const [row, first] = [list[index], list[other]];
      if (!row || !first) continue;
      const reason = isDuplicate ? `Row ${first.row} has the same location and start` : `Overlaps row ${first.row}`;
      clashing.set(row, { row: row.row, kind: isDuplicate ? "duplicate" : "overlap", reason });
    }
  const candidates = sheet.accepted.filter((one) => !clashing.has(one));
  const whole = await planSales(reader, candidates);
  const conflicts = candidates.flatMap(({ row, place }, index): SalesProblem[] => {
    const decision = whole.decisions[index];
    if (decision === undefined || typeof decision === "string") return [];
    return [{ row, kind: "overlap", reason: salesReasons.conflict(zoneOf(place.timezone), decision.conflict) }];
  });
  const isValid = (index: number) => typeof whole.decisions[index] === "string";
  const valid = candidates.filter((_, index) => isValid(index));
  const plan = { ...whole, decisions: whole.decisions.filter((_, index) => isValid(index)) };
  const problems = [...sheet.problems, ...clashing.values(), ...conflicts].toSorted((a, b) => a.row - b.row);
  const result: SalesImportResult = {
    dryRun,
    rows: sheet.rows,
    ...countOutcomes(plan.decisions),
    invalid: problems.length,
    locations: placesOf(valid).length,
    unusedColumns: sheet.unused,
    problemCounts: countKinds(problems),
    problems: problems.slice(0, salesImportLimits.problems),
    preview: valid.slice(0, salesImportLimits.preview).flatMap((one, index) => toPreview(one, plan.decisions[index])),
  };
  return { result, valid, plan };
}

function countKinds(problems: readonly SalesProblem[]): SalesImportResult["problemCounts"] {
  const counts: SalesImportResult["problemCounts"] = {};
  for (const { kind } of problems) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function toPreview(
  { row, place, entry }: Accepted,
  outcome: Awaited<ReturnType<typeof planSales>>["decisions"][number] | undefined,
): SalesImportResult["preview"] {
  if (typeof outcome !== "string") return [];
  const { startMs, endMs, isDay: _, ...amounts } = entry;
  const location = { _id: place.id, name: place.name };
  return [{ row, location, start: iso(startMs), end: iso(endMs), timezone: place.timezone, ...amounts, outcome }];
}

/** Adds the file to the request's hash, so that the same idempotency key with another file is a different request. */
function withDigest(caller: Caller, sha256: Buffer): Caller {
  const { idempotency } = caller.request;
  if (!idempotency) return caller;
  const hash = createHash("sha256").update(idempotency.hash).update(sha256).digest();
  return { ...caller, request: { ...caller.request, idempotency: { ...idempotency, hash } } };
}
