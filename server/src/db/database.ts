// Opens the PostgreSQL pool, typed by the tables. Statements are planned with their actual values, except those that find rows by key.
import { setTimeout as delay } from "node:timers/promises";
import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresPoolClient,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
  type Transaction,
} from "kysely";
import type { Logger } from "pino";
import pg from "pg";
import { PipelinedDialect } from "./connection/pipelined-driver.ts";
import { openPool } from "./connection/pool.ts";
import { sendCancel } from "./connection/pool-client.ts";
import type { Pooling } from "./connection/pooling.ts";
import type { Tables } from "./tables.ts";

export type Database = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export type Reader = Database | Tx;

// Every bigint of this product fits in a double.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

// Parsed by hand, because every row that needs rights has id arrays. They contain no quotes and no nulls.
const uuidArray: number = 2951;
pg.types.setTypeParser(uuidArray, (text: string) => (text === "{}" ? [] : text.slice(1, -1).split(",")));

/** A statement that is parsed and planned once per connection. */
export type PreparedStatement<Row> = { readonly text: string; readonly row?: Row };

const names = new Map<string, string>();

/**
 * Declares a named statement with a fixed text, for which one plan suits all values, such as reading rows by key. All others
 * but those of `runByKey` stay unnamed, so that PostgreSQL plans them with their values.
 */
export function prepare<Row>(name: string, text: string): PreparedStatement<Row> {
  names.set(text, name);
  return { text };
}

type ByKey<Row> = { compile(db: QueryExecutorProvider): CompiledQuery<Row> };

/** Forms of one statement that get a name. Each costs memory in every connection. */
const maxForms = 24;
const forms = new Map<string, number>();

/**
 * Runs a statement that finds rows by key, and whose text differs only by the kind of the caller's rights. Each form of it is prepared
 * like a declared one, so list the columns: after a migration that adds a column, a prepared `select *` fails.
 */
export async function runByKey<Row>(db: Reader, name: string, query: ByKey<Row>): Promise<readonly Row[]> {
  const compiled = query.compile(db);
  const known = forms.get(name) ?? 0;
  if (!names.has(compiled.sql) && known < maxForms) {
    forms.set(name, known + 1);
    names.set(compiled.sql, `${name}_${known}`);
  }
  return (await db.executeQuery(compiled)).rows;
}

/**
 * Condition of a statement of `runByKey`. PostgreSQL's generic plan of `= any` assumes ten keys and looks too expensive for one, so each
 * call with one key would be planned again, which takes longer than running it. One key is therefore a form of its own.
 */
export function hasKey(column: string, type: "uuid" | "text" | "bytea", keys: readonly unknown[]): RawBuilder<boolean> {
  return keys.length === 1
    ? sql`${sql.ref(column)} = ${keys[0]}::${sql.raw(type)}`
    : sql`${sql.ref(column)} = any(${[...keys]}::${sql.raw(type)}[])`;
}

export async function runPrepared<Row>(
  db: Reader,
  { text }: PreparedStatement<Row>,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}

export const defaultStatementTimeoutMs = 30_000;

/**
 * Opens the pool. Statements of lists have no name, so that PostgreSQL plans each with its values. A generic plan would make the
 * filtered list of a big account twenty times slower. `statement_timeout` bounds the cost of a hostile filter; through a pooler of
 * transactions the database's role has it. `pooling` is what the start found out; without it, connections are not watched.
 */
export function openDatabase(
  url: string,
  options: { pool: number; log: Logger; statementTimeoutMs?: number; pooling?: Pooling },
): Database {
  const { pooling = "none", statementTimeoutMs = defaultStatementTimeoutMs, pool: max, log } = options;
  // A session that the next transaction gets does not know what was prepared in another one.
  const findName = (text: string) => (pooling === "transaction" ? undefined : findStatementName(text));
  const isDirect = options.pooling === "none";
  const { pool, end } = openPool(url, { max, log, statementTimeoutMs, pooling, isDirect, findName, role: "primary" });
  const db = new Kysely<Tables>({
    dialect: new PipelinedDialect({ pool: { options: pool.options, connect: () => pool.connect(), end } }),
  });
  pools.set(db, pool);
  return db;
}

/** Name of a statement of `prepare` or `runByKey`. */
export const findStatementName = (text: string): string | undefined => names.get(text);

const pools = new WeakMap<Database, pg.Pool>();

function poolOf(db: Database): pg.Pool {
  const pool = pools.get(db);
  if (pool === undefined) throw new Error("openDatabase did not open this");
  return pool;
}

/** Connections of the pool, and statements that wait for one. */
export function poolState(db: Database): { open: number; idle: number; waiting: number; most: number } {
  const pool = poolOf(db);
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, most: pool.options.max };
}

/** Returns the same pool for abortable work. On abort, PostgreSQL cancels the current statement; later ones throw the abort reason. */
export function cancelOnAbort(db: Database, signal: AbortSignal): Database {
  return overConnections(connectionsOf(db, signal));
}

export type Connect = () => Promise<PostgresPoolClient>;

/** Connections of the pool, whose statements are canceled on abort. */
export function connectionsOf(db: Database, signal: AbortSignal | undefined): Connect {
  const pool = poolOf(db);
  return async () => {
    signal?.throwIfAborted();
    return untilAborted(await pool.connect(), pool.options, signal);
  };
}

/** A database that connects for each statement or transaction. */
export function overConnections(connect: Connect): Database {
  const pool = { options: {}, connect, end: async () => undefined };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

const cancelEveryMs = 50;

/** Cancels the running statement on abort; later ones throw the abort reason. Throws it at once if it is aborted already. */
export function untilAborted(
  client: pg.PoolClient,
  options: pg.ClientConfig,
  signal: AbortSignal | undefined,
): PostgresPoolClient {
  if (signal === undefined) return client;
  const query = client.query.bind(client) as (...args: unknown[]) => never;
  let canceling: Promise<void> | null = null;
  let isReleased = false;
  /** Repeated until done, because PostgreSQL ignores a cancellation that arrives before the statement. */
  async function cancel(): Promise<void> {
    while (!isReleased) {
      await sendCancel(client, options);
      await delay(cancelEveryMs);
    }
  }
  const begin = () => void (canceling = cancel());
  if (signal.aborted) client.release();
  signal.throwIfAborted();
  signal.addEventListener("abort", begin, { once: true });
  return {
    query(...args: unknown[]) {
      if (args[0] !== "rollback") signal.throwIfAborted();
      return query(...args);
    },
    release(destroy) {
      isReleased = true;
      signal.removeEventListener("abort", begin);
      // Waits for a running cancellation, which could otherwise hit the next user's statement.
      if (canceling === null) client.release(destroy);
      else void canceling.then(() => client.release(destroy));
    },
  };
}

/** Whether the database accepts writes. A connection that does not answer in time is closed. */
export function isResponding(db: Database, withinMs: number): Promise<boolean> {
  const text = "show transaction_read_only";
  const answered = poolOf(db).query({ text, query_timeout: withinMs } as pg.QueryConfig);
  return answered.then(
    ({ rows }) => rows[0]?.transaction_read_only === "off",
    () => false,
  );
}

/** Whether the database is unavailable or restarting, so that the statement itself may be correct. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|57P0[123]|08\w{3}|53300|25006)$/.test(
      code,
    ) ||
    /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error/.test(
      error.message,
    )
  );
}

export function isUniqueViolation(error: unknown, index?: string): boolean {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "23505") return false;
  return index === undefined || ("constraint" in error && error.constraint === index);
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "40P01";
}

export function isDatabaseError(error: unknown): boolean {
  return error instanceof pg.DatabaseError || isDatabaseUnavailable(error);
}
