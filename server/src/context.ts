// Everything a use case may need from outside, in one value that is passed on. There is no other injection.
import type { Logger } from "pino";
import type { Bus } from "./kit/bus.ts";
import type { Clock } from "./kit/clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import type { Presences } from "./kit/presences.ts";
import type { Metrics } from "./kit/metrics.ts";

export type Context = {
  config: Config;
  db: Database;
  bus: Bus;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Open live sockets per account. */
  presences: Presences;
};
