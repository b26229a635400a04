// Finds out at the start what the configured connections can do, so that a pooler in front of PostgreSQL breaks nothing silently.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type pg from "pg";
import { ConfigError } from "../../environment.ts";
import { connect } from "./connect.ts";
import { processIdOf } from "./pool-client.ts";

/**
 * What lies between the pool and PostgreSQL: nothing, or a pooler whose sessions last as long as the connection of a client, or as a
 * transaction (docs/rules/start-and-configuration.md#database).
 */
export type Pooling = "none" | "session" | "transaction";

const notifyMs = 3000;

/**
 * `directUrl` is for sessions: notifications and locks. Throws ConfigError if they would not work, or if both URLs lead to different
 * databases.
 */
export async function inspectPooling(
  { url, directUrl }: { url: string; directUrl: string },
  statementTimeoutMs: number,
): Promise<Pooling> {
  const clients: pg.Client[] = [];
  const open = async (at: string, options?: pg.ClientConfig) => {
    const client = await connect(at, options);
    clients.push(client);
    return client;
  };
  try {
    const [session, { client, refusesParameters }] = await Promise.all([open(directUrl), openPooled(url, open)]);
    await requireUtf8(client);
    if (!(await receives(session, client))) throw await explain({ url, directUrl }, session, open);
    const isPooler = refusesParameters || (await isThroughPooler(client));
    if (!isPooler) return "none";
    if (url === directUrl) return "session";
    await limitRole(client, statementTimeoutMs);
    return "transaction";
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

type Open = (at: string, options?: pg.ClientConfig) => Promise<pg.Client>;

/** PgBouncer refuses a connection that brings a setting, unless it is configured to ignore it. */
async function openPooled(url: string, open: Open): Promise<{ client: pg.Client; refusesParameters: boolean }> {
  try {
    return { client: await open(url, { statement_timeout: notifyMs }), refusesParameters: false };
  } catch (error) {
    if (!(error instanceof Error) || !/unsupported startup parameter/i.test(error.message)) throw error;
    return { client: await open(url), refusesParameters: true };
  }
}

async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>("show server_encoding");
  const encoding = rows[0]?.server_encoding;
  if (encoding !== "UTF8") throw new ConfigError(`The database's encoding must be UTF8. It is ${encoding}`);
}

/** Whether a notification of one connection reaches the other. Through a pooler of transactions it is lost or goes astray. */
async function receives(session: pg.Client, sender: pg.Client): Promise<boolean> {
  const channel = `psp_check_${randomUUID().replaceAll("-", "")}`;
  await session.query(`listen ${channel}`);
  const received = once(session, "notification", { signal: AbortSignal.timeout(notifyMs) });
  await sender.query(`notify ${channel}`);
  return received.then(
    () => true,
    () => false,
  );
}

async function explain(
  { url, directUrl }: { url: string; directUrl: string },
  session: pg.Client,
  open: Open,
): Promise<ConfigError> {
  if (url === directUrl)
    return new ConfigError(
      "DATABASE_URL leads through a pooler that shares sessions between transactions, such as PgBouncer with pool_mode = " +
        "transaction. Set DATABASE_DIRECT_URL to the same database without the pooler",
    );
  return (await receives(session, await open(directUrl)))
    ? new ConfigError("DATABASE_DIRECT_URL leads to another database than DATABASE_URL")
    : new ConfigError("DATABASE_DIRECT_URL must not lead through a pooler that shares sessions between transactions");
}

/** A pooler invents the process id that it tells its clients. */
async function isThroughPooler(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid !== processIdOf(client);
}

/** The pooler passes no settings on, so the role gets the limit, unless the operator has set one. New sessions have it. */
async function limitRole(client: pg.Client, statementTimeoutMs: number): Promise<void> {
  const { rows } = await client.query<{ is: boolean; role: string; base: string }>(
    `select current_setting('statement_timeout') = '0' as is, quote_ident(current_user) as role,
            quote_ident(current_database()) as base`,
  );
  const [row] = rows;
  if (row?.is === true)
    await client.query(`alter role ${row.role} in database ${row.base} set statement_timeout = ${statementTimeoutMs}`);
}
