// Reads from a replica where it has everything that was committed before the read began; otherwise from the primary
// (ADR 0014, docs/rules/start-and-configuration.md#replica).
import type { PostgresPoolClient } from "kysely";
import type { Metrics } from "../../kit/metrics.ts";
import { isBegin } from "../connection/pool-client.ts";
import { type Connect, connectionsOf, type Database, overConnections, untilAborted } from "../database.ts";
import type { WalPosition } from "./position.ts";
import { createReplicaConnections, type ReplicaDependencies } from "./replica-connections.ts";
import { isReplicaFault } from "./replica-fault.ts";
import type { Reason } from "./replica-watch.ts";

export type Replica = {
  /** Runs `work`, which must only read. After a failure of the replica it may run twice. `signal` cancels its statement. */
  read<T>(work: (db: Database) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** For reads that can't be repeated as a whole, like streams: only a failed statement is. Without transactions. */
  open(signal?: AbortSignal): Database;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** Without a replica, the primary answers. */
export function createNoReplica(db: Database): Replica {
  const open = (signal?: AbortSignal) => (signal === undefined ? db : overConnections(connectionsOf(db, signal)));
  return {
    read: (work, signal) => work(open(signal)),
    open,
    start: async () => undefined,
    stop: async () => undefined,
  };
}

/** One read of a caller. Its first statement decides what a replica must have; after a failure all others go to the primary. */
type Read = { position: Promise<WalPosition | null> | null; reason: Reason | null; connectPrimary: Connect };

export function createReplica(dependencies: ReplicaDependencies): Replica {
  const { db, metrics } = dependencies;
  const replicas = createReplicaConnections(dependencies);

  function begin(signal: AbortSignal | undefined) {
    const read: Read = { position: null, reason: null, connectPrimary: connectionsOf(db, signal) };
    const fail = (error: unknown) => {
      read.reason = "failed";
      replicas.failed(read.reason, error);
    };
    const database = overConnections(async () => {
      signal?.throwIfAborted();
      read.reason ??= replicas.reason();
      if (read.reason === null) {
        // An error of the primary is that of the read, because it can't answer either.
        const position = await (read.position ??= replicas.findPosition());
        const found = await replicas.connect(position);
        if (typeof found !== "string")
          return orPrimary(untilAborted(found, replicas.options, signal), read.connectPrimary, fail, metrics);
        read.reason = found;
      }
      metrics.replicaReads.inc({ answered_by: "primary", reason: read.reason });
      return read.connectPrimary();
    });
    return { read, database };
  }

  return {
    open: (signal) => begin(signal).database,
    async read(work, signal) {
      const { read, database } = begin(signal);
      try {
        return await work(database);
      } catch (error) {
        if (read.reason === null || !isReplicaFault(error)) throw error;
        return work(overConnections(read.connectPrimary));
      }
    },
    start: replicas.start,
    stop: replicas.stop,
  };
}

type Query = (...args: unknown[]) => Promise<unknown>;
const queryOf = (client: PostgresPoolClient) => client.query.bind(client) as Query;

/** A statement that fails because of the replica is repeated on the primary; a transaction fails. */
function orPrimary(
  client: PostgresPoolClient,
  connectPrimary: Connect,
  onFault: (error: unknown) => void,
  metrics: Metrics,
): PostgresPoolClient {
  const query = queryOf(client);
  let primary: PostgresPoolClient | null = null;
  let hasFailed = false;
  let isInTransaction = false;
  const run: Query = async (...args) => {
    if (primary !== null) return queryOf(primary)(...args);
    const text = String(args[0]);
    // The connection will be closed.
    if (hasFailed && text === "rollback") return { rows: [], command: "ROLLBACK" };
    try {
      const result = await query(...args);
      if (isBegin(text)) isInTransaction = true;
      return result;
    } catch (error) {
      if (!isReplicaFault(error)) throw error;
      hasFailed = true;
      onFault(error);
      if (isInTransaction) throw error;
      primary = await connectPrimary();
      return run(...args);
    }
  };
  return {
    query: run as never,
    release(destroy) {
      const answer = hasFailed ? { answered_by: "primary", reason: "failed" } : { answered_by: "replica", reason: "" };
      metrics.replicaReads.inc(answer);
      client.release(destroy || hasFailed);
      primary?.release(destroy);
    },
  };
}
