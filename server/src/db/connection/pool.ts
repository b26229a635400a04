// Opens a pool of connections to the host with the right role.
import type { Logger } from "pino";
import pg from "pg";
import { connect, createPlaceFinder, keepAlive, type Role } from "./connect.ts";
import { createClientClass, dropConnection, isAt, processIdOf } from "./pool-client.ts";
import type { Pooling } from "./pooling.ts";

/** A host that is cut off from the network ends no connection, so its failure is noticed by asking the other hosts. */
const watchMs = 3000;
/** How long a connection is in use before the server is asked whether it knows it. */
const busyMs = 4000;

export type PoolOptions = {
  max: number;
  log: Logger;
  statementTimeoutMs: number;
  pooling: Pooling;
  /** Whether it was checked that no pooler lies between. */
  isDirect: boolean;
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
  const { max, log, statementTimeoutMs, pooling, isDirect, findName, role, connectMs = 5_000 } = options;
  const open = new Set<pg.PoolClient>();
  const idle = new Set<pg.PoolClient>();
  const busySince = new Map<pg.PoolClient, number>();
  const leaveOthers = (to: Parameters<typeof isAt>[1]) => {
    for (const client of open) if (!isAt(client, to)) dropConnection(client);
  };
  const finder = createPlaceFinder(url, leaveOthers, role);
  const pool = new pg.Pool({
    connectionString: finder.firstUrl,
    ...keepAlive,
    pipeline: true,
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
  pool.on("release", (_error, client) => {
    idle.add(client);
    busySince.delete(client);
  });
  pool.on("acquire", (client) => {
    idle.delete(client);
    busySince.set(client, performance.now());
  });
  pool.on("remove", (client) => {
    for (const all of [open, idle, busySince]) all.delete(client);
  });
  const endWatch = watch();
  function watch(): () => void {
    if (role === "primary" && finder.isChecked) return finder.watch(watchMs);
    // A pooler invents process ids, and ends the connections of a server that is gone.
    return isDirect ? watchSessions(url, open, busySince) : () => undefined;
  }
  return {
    pool,
    drop: () => open.forEach(dropConnection),
    async end() {
      endWatch();
      await pool.end();
    },
  };
}

/**
 * Behind a single address, another server may have taken over, as with a managed service. Connections to the one that is gone may get no
 * answer for 15 minutes, so those that the present server does not know are dropped.
 */
function watchSessions(
  url: string,
  open: ReadonlySet<pg.PoolClient>,
  busySince: ReadonlyMap<pg.PoolClient, number>,
): () => void {
  let isAsking = false;
  const timer = setInterval(() => {
    const isLong = (since: number) => performance.now() - since > busyMs;
    if (isAsking || ![...busySince.values()].some(isLong)) return;
    isAsking = true;
    // If the server is away, the statements of the pool report it.
    void dropUnknown(url, open)
      .catch(() => undefined)
      .finally(() => (isAsking = false));
  }, watchMs).unref();
  return () => clearInterval(timer);
}

async function dropUnknown(url: string, open: ReadonlySet<pg.PoolClient>): Promise<void> {
  const asked = [...open].map((client) => ({ client, pid: processIdOf(client) }));
  const session = await connect(url, { application_name: "ps-platform" });
  try {
    const { rows } = await session.query<{ pid: number }>({
      text: "select pid from pg_stat_activity where pid = any($1::int[])",
      values: [asked.map(({ pid }) => pid)],
      query_timeout: watchMs,
    } as pg.QueryConfig);
    const known = new Set(rows.map(({ pid }) => pid));
    for (const { client, pid } of asked) if (!known.has(pid)) dropConnection(client);
  } finally {
    session.end().catch(() => undefined);
  }
}
