// External dependencies of use cases, passed as one value. Nothing else is injected.
import type { Logger } from "pino";
import { type Bus, createBus } from "./kit/bus.ts";
import { type Clock, createClock } from "./kit/clock.ts";
import type { Config } from "./config.ts";
import { type Announcements, createAnnouncements } from "./db/bus/announcements.ts";
import type { Database } from "./db/database.ts";
import { createNoReplica, createReplica, type Replica } from "./db/replica/replica.ts";
import { createPresenceTracker, type PresenceTracker } from "./kit/presences.ts";
import { createMetrics, type Metrics } from "./kit/metrics.ts";
import { createTracing, type Tracing } from "./kit/telemetry/tracing.ts";

export type Context = {
  config: Config;
  /** In reads that a replica may answer, the database of that read. */
  db: Database;
  /** Always the primary, for checks of rights while a stream runs. */
  primary: Database;
  /** For reads that may take long. */
  replica: Replica;
  bus: Bus;
  announcements: Announcements;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  tracing: Tracing;
  presences: PresenceTracker;
};

/** Creates a new bus. Uses the machine's clock by default. */
export function createContext({
  clock = createClock(),
  ...given
}: Pick<Context, "config" | "db" | "log"> & { clock?: Clock | undefined }): Context {
  const bus = createBus(given.log);
  const metrics = createMetrics();
  const announcements = createAnnouncements({ ...given, bus, metrics });
  const { readUrl: url, pool: max } = given.config.database;
  const { db, log } = given;
  const replica = url === null ? createNoReplica(db) : createReplica({ db, url, max, log, metrics });
  const own = { primary: db, clock, bus, announcements, metrics, replica };
  return { ...given, ...own, tracing: createTracing(), presences: createPresenceTracker() };
}
