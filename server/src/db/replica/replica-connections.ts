// Connections to replicas on which everything was replayed that a read must see.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type pg from "pg";
import { createSingleFlight } from "../../kit/limits/single-flight.ts";
import type { Metrics } from "../../kit/metrics.ts";
import { openPool } from "../connection/pool.ts";
import { type Database, defaultStatementTimeoutMs, findStatementName } from "../database.ts";
import { findCommitted, findReplayed, includes, type WalPosition } from "./position.ts";
import { createReplicaWatch, type Reason } from "./replica-watch.ts";

export type ReplicaDependencies = { db: Database; url: string; max: number; log: Logger; metrics: Metrics };

/** How long a read waits for a replica that is behind, normally by a few milliseconds. */
const maxLagMs = 200;
const maxPauseMs = 8;
const connectMs = 2000;

export function createReplicaConnections({ db, url, max, log, metrics }: ReplicaDependencies) {
  const { pool, drop, end } = openPool(url, {
    max,
    log,
    statementTimeoutMs: defaultStatementTimeoutMs,
    pooling: "none",
    isDirect: false,
    findName: findStatementName,
    role: "replica",
    connectMs,
  });
  /** What later statements of a connection see at least, because a replica never goes back. */
  const knownOf = new WeakMap<pg.ClientBase, WalPosition>();
  const flight = createSingleFlight<WalPosition | null>();
  const findPosition = () => flight("", () => findCommitted(db));
  const watch = createReplicaWatch({ url, findPosition, hasReached, drop, log });

  /** Asks the replica until it has the position, or is clearly behind. */
  async function hasReached(client: pg.ClientBase, position: WalPosition): Promise<Reason | null> {
    const begunAt = performance.now();
    for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      const replayed = await findReplayed(client);
      if (typeof replayed === "string") return replayed;
      knownOf.set(client, replayed);
      if (includes(replayed, position)) {
        metrics.replicaWait.observe((performance.now() - begunAt) / 1000);
        return null;
      }
      if (performance.now() - begunAt >= maxLagMs) return "behind";
      await delay(pauseMs);
    }
  }

  async function tryConnect(position: WalPosition): Promise<pg.PoolClient | Reason> {
    const client = await pool.connect();
    try {
      const known = knownOf.get(client);
      const reason = known && includes(known, position) ? null : await hasReached(client, position);
      if (reason === null) return client;
      // Another connection may lead to another replica.
      client.release(true);
      return reason;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  return {
    options: pool.options,
    /** All that is committed on the primary now. Null while a new primary has no log of announcements. */
    findPosition,
    /** Why the primary answers. Null while the replica may. */
    reason: watch.reason,
    failed: watch.failed,
    /** A connection that sees at least the position, or why there is none. */
    async connect(position: WalPosition | null): Promise<pg.PoolClient | Reason> {
      let failure: unknown;
      const found = position === null ? "new primary" : await tryConnect(position).catch(fail);
      function fail(error: unknown): Reason {
        failure = error;
        return "unavailable";
      }
      if (typeof found === "string") watch.failed(found, failure);
      return found;
    },
    start: watch.start,
    async stop(): Promise<void> {
      await watch.stop();
      await end();
    },
  };
}
