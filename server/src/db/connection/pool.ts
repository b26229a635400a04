// Opens a pool of connections to the host with the right role.
import type { Logger } from "pino";
import pg from "pg";
import { createPlaceFinder, keepAlive, type Role } from "./connect.ts";
import { createClientClass, dropConnection, isAt } from "./pool-client.ts";
import type { Pooling } from "./pooling.ts";

/** A host that is cut off from the network ends no connection, so its failure is noticed by asking the other hosts. */
const watchMs = 3000;

export type PoolOptions = {
  max: number;
  log: Logger;
  statementTimeoutMs: number;
  pooling: Pooling;
  /** Names statements that are prepared once per connection. */
  findName(text: string): string | undefined;
  role: Role;
  connectMs?: number;
};

export type OpenPool = {
  pool: pg.Pool;
  /** Ends all connections at once, so that their statements fail. */
  drop(): void;
  end(): Promise<void>;
};

export function openPool(url: string, options: PoolOptions): OpenPool {
  const { max, log, statementTimeoutMs, pooling, findName, role, connectMs = 5_000 } = options;
  const open = new Set<pg.PoolClient>();
  const idle = new Set<pg.PoolClient>();
  const leaveOthers = (to: Parameters<typeof isAt>[1]) => {
    for (const client of open) if (!isAt(client, to)) dropConnection(client);
  };
  const finder = createPlaceFinder(url, leaveOthers, role);
  const pool = new pg.Pool({
    connectionString: finder.firstUrl,
    ...keepAlive,
    max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: connectMs,
    ...(pooling === "none" ? { statement_timeout: statementTimeoutMs } : {}),
    application_name: "ps-platform",
    Client: createClientClass(finder, {
      findName,
      // Idle connections may lead to the same host.
      onLeft: () => idle.forEach(dropConnection),
    }),
  });
  // The pool replaces an idle connection that dies, such as when PostgreSQL restarts. Without a listener, the error would end the
  // process.
  const lost = (error: Error) => log.warn({ reason: error.message }, `a connection to the ${role} was lost`);
  pool.on("error", lost);
  // The pool does not listen for errors of a checked-out connection between two statements.
  pool.on("connect", (client) => client.on("error", lost));
  pool.on("connect", (client) => {
    open.add(client);
    // A connection runs its statements in order, so that this one is the first.
    if (pooling === "session") client.query(`set statement_timeout = ${statementTimeoutMs}`).catch(lost);
  });
  pool.on("release", (_error, client) => void idle.add(client));
  pool.on("acquire", (client) => void idle.delete(client));
  pool.on("remove", (client) => {
    for (const set of [open, idle]) set.delete(client);
  });
  const endWatch = finder.isChecked && role === "primary" ? finder.watch(watchMs) : () => undefined;
  return {
    pool,
    drop: () => open.forEach(dropConnection),
    async end() {
      endWatch();
      await pool.end();
    },
  };
}
