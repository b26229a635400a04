// Imports an SAP export (AC-09). Rows become invited accounts, 200 per transaction; failed rows are reported one by one.
import { createHash } from "node:crypto";
import type { ImportResult } from "@psp/contract/account/account.import.ts";
import { errorCode } from "@psp/contract/errors.ts";
import { canCreateAccount } from "@psp/contract/permission/can.ts";
import { AppError } from "../../kit/app-error.ts";
import { requireSession } from "../../credential/session.service.ts";
import type { Caller, LongCall } from "../../kit/caller.ts";
import type { Context } from "../../context.ts";
import { isDatabaseError, isUniqueViolation } from "../../db/database.ts";
import { requireFreshKey, write } from "../../db/write.ts";
import { createBoundedQueue } from "../../kit/limits/keyed-queue.ts";
import { insertInvitedAccounts, requireAccountCreator } from "../account.invitation.service.ts";
import { formatNames } from "./sap-header.rules.ts";
import type { CsvFile } from "../../kit/csv/csv-text.ts";
import { toEmailKey, streamRows, scanSheet, type ParsedRow } from "./sap.rules.ts";
import { findTakenEmails } from "../account.store.ts";

/** Rows per transaction. Enough to be fast, but few enough that other transactions need not wait long. */
const rowsAtOnce = 200;
const line = { max: 8, maxPerKey: 2 };

type Import = {
  role: string;
  file: CsvFile & { sha256: Buffer };
  /** Aborted when the server stops. The import then ends after the current chunk of rows. */
  closing: AbortSignal;
};
type Report = (progress: { done: number; total: number }) => void;
type Invite = Extract<ParsedRow, { kind: "invite" }>;

/** Aborts the upload as soon as its sender may no longer create accounts (303). */
export function abortWithoutCreateRight({ caller, signal, reliesOn }: LongCall): AbortSignal {
  // A caller who lacks the right from the start is refused later, after the whole form has arrived.
  if (canCreateAccount(caller))
    reliesOn((now) => {
      if (!canCreateAccount(now)) throw new AppError(errorCode.noCreate);
    });
  return signal;
}

/** Runs one import at a time. A few wait in a queue; further ones get 429. */
export function createImporter(ctx: Context) {
  const inTurn = createBoundedQueue(line);
  return ({ caller, signal, reliesOn }: LongCall, order: Import, report: Report): Promise<ImportResult> => {
    // From here on, each chunk of rows checks the rights itself, so that rows without the right are reported, too.
    reliesOn(() => undefined);
    return inTurn(caller.id, () => importSheet(ctx, withDigest(caller, order), { ...order, ended: signal }, report));
  };
}

/**
 * Throws 102 for a file that can't be imported, and the errors of `requireAccountCreator`, before the first row. After that, every
 * row is reported; the error of a chunk is reported for each of its rows. The idempotency key is stored with the outcome. A repeat
 * after a crash reports the committed rows as irrelevant.
 */
async function importSheet(
  ctx: Context,
  caller: Caller,
  { role, file, closing, ended }: Import & { ended: AbortSignal },
  report: Report,
): Promise<ImportResult> {
  ended.throwIfAborted();
  await requireFreshKey(ctx, caller);
  const sheet = await scanSheet(file);
  await ctx.db.transaction().execute((tx) => requireAccountCreator(tx, caller, role));
  const result: ImportResult = { success: 0, irrelevant: 0, error: 0, total: 0, logs: [] };
  if (sheet.unused.length > 0) result.logs.push(`Columns not used: ${formatNames(sheet.unused)}`);
  for await (const part of streamRows(file, sheet)) {
    for (let from = 0; from < part.length; from += rowsAtOnce) {
      if (closing.aborted) throw stopping(result);
      if (ended.aborted) throw sessionOver(result);
      const chunk = part.slice(from, from + rowsAtOnce);
      count(result, chunk, await outcomeOf(ctx, caller, role, chunk, result));
      report({ done: result.total, total: sheet.rows });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return write(ctx, caller, async (w) => {
    const object = { type: "account", _id: caller.id };
    w.audit({ action: "import", object, owner: caller, after: countsOf(result) });
    return result;
  });
}

type Outcome = { made: ReadonlySet<number>; failure: AppError | null };

async function outcomeOf(ctx: Context, caller: Caller, role: string, chunk: readonly ParsedRow[], sofar: ImportResult) {
  const wanted = chunk.filter((verdict): verdict is Invite => verdict.kind === "invite");
  if (wanted.length === 0) return { made: new Set<number>(), failure: null };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { made: await inviteAll(ctx, caller, role, wanted), failure: null };
    } catch (error) {
      // Another transaction took one of the addresses; the next attempt sees that.
      if (isUniqueViolation(error, "credential_email") && attempt < 5) continue;
      const known = error instanceof AppError;
      if (known && error.code === errorCode.unauthorized) throw sessionOver(sofar);
      if (!known) ctx.log.error({ err: error, requestId: caller.request.id }, "rows could not be imported");
      const failure = known
        ? error
        : new AppError(isDatabaseError(error) ? errorCode.databaseError : errorCode.internalError);
      return { made: new Set<number>(), failure };
    }
  }
}

/** Returns the row numbers of the created accounts. The addresses of the other rows are in use. */
async function inviteAll(ctx: Context, caller: Caller, role: string, wanted: readonly Invite[]) {
  // The idempotency key belongs to the import as a whole.
  const author = { ...caller, request: { ...caller.request, idempotency: null } };
  return write(ctx, author, async (w) => {
    const creator = await requireAccountCreator(w.tx, caller, role);
    await requireSession(ctx, w.tx, caller);
    const emails = wanted.map(({ row }) => toEmailKey(row.email));
    const known = await findTakenEmails(w.tx, emails);
    const fresh = wanted.filter(({ row }) => !known.has(toEmailKey(row.email)));
    const people = fresh.map(({ row }) => row);
    await insertInvitedAccounts(ctx, w, creator, role, people, { kind: "otherOrganization", bulk: true });
    return new Set(fresh.map(({ number }) => number));
  });
}

function count(result: ImportResult, chunk: readonly ParsedRow[], { made, failure }: Outcome): void {
  for (const verdict of chunk) {
    const { number } = verdict;
    const reason =
      verdict.kind === "error" ? verdict.reason : verdict.kind === "invite" && failure ? wordsOf(failure) : null;
    result.total += 1;
    if (reason !== null) {
      result.error += 1;
      result.logs.push(`row ${number}: ${reason}`);
    } else if (made.has(number)) result.success += 1;
    else result.irrelevant += 1;
  }
}

function wordsOf({ message, details }: AppError): string {
  const reason = details?.["reason"];
  return typeof reason === "string" ? `${message} ${reason}` : message;
}

function countsOf(result: ImportResult) {
  const { logs: _, ...counts } = result;
  return counts;
}

function stopping(result: ImportResult): AppError {
  const details = { reason: "The server is restarting. Import the file again", ...countsOf(result) };
  return new AppError(errorCode.internalError, details, { status: 503, headers: { "retry-after": "10" } });
}

function sessionOver(result: ImportResult): AppError {
  return new AppError(errorCode.unauthorized, { reason: "Your session ended during the import", ...countsOf(result) });
}

/** Adds file and role to the request's hash, so that the same idempotency key with another file or role is a different request. */
function withDigest(caller: Caller, { role, file }: Import): Caller {
  const { idempotency } = caller.request;
  if (!idempotency) return caller;
  const hash = createHash("sha256").update(idempotency.hash).update(file.sha256).update(role).digest();
  return { ...caller, request: { ...caller.request, idempotency: { ...idempotency, hash } } };
}
