// Starts the process: its database, what all parts share, and the parts; stops them in reverse. main.ts and tests start it alike.
import type { Logger } from "pino";
import { bootstrapRoot, requireStrongAdmin } from "../account/bootstrap.service.ts";
import type { Config } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { bridgeBus } from "../db/bus-bridge.ts";
import { startDatabase } from "../db/start-database.ts";
import { refuseOpenDemo } from "../demo/open-demo.service.ts";
import { createHost, type Host } from "./host.ts";
import type { Clock } from "../kit/clock.ts";
import { siteWarnings } from "../kit/site.ts";
import { createRunning, prepareParts, startParts, upgradePaths } from "../open/part.ts";
import { guardUpgrades } from "../open/upgrade.ts";
import { parts } from "./parts.ts";

export type Server = Pick<Host, "ctx" | "app" | "sessions"> & {
  /** Where it listens, with the ports really taken. */
  url: string;
  /** What a person opens in a browser, and the start prints. */
  consoleUrl: string;
  mqttPort: number | null;
  databaseUrl: string;
  /** Login of the root account when this start made it. */
  firstLogin: { email: string; password: string } | null;
  stop(): Promise<void>;
};

type StartOptions = {
  clock?: Clock;
  /** What must be there before /health says that all is ready. */
  beforeReady?: (ctx: Context) => Promise<void>;
};

/** Starts everything that the configuration names; throws before anything listens when a part can't start. */
export async function startServer(config: Config, log: Logger, options: StartOptions = {}): Promise<Server> {
  const running = createRunning(log);
  requireStrongAdmin(config, log);
  try {
    const { url: databaseUrl, db } = await startDatabase(config, log, running.add);
    const ctx = createContext({ config, db, log, clock: options.clock });
    if (config.parts.size < 3) {
      const bridge = await bridgeBus(ctx.bus, databaseUrl, log, running.missed);
      running.add(bridge);
      ctx.bus = bridge;
    }
    await refuseOpenDemo(ctx);
    const firstLogin = await bootstrapRoot(ctx);
    for (const warning of siteWarnings(config)) log.warn(warning);
    const shared = await createHost(ctx);
    const { app, addresses, health, leases, offers, sessions } = shared;
    running.add({ missed: leases.missed, stop: () => undefined });
    await prepareParts(parts, ctx);
    // Before anything listens: clients that come back at once must not meet a path whose part is still starting.
    const upgrades = guardUpgrades(app.server, upgradePaths(config, parts));
    await app.listen({ host: config.host, port: config.port });
    running.add({ stop: () => app.close() });
    await startParts(parts, { ...shared, upgrades }, running);
    await options.beforeReady?.(ctx);
    health.ready = true;
    running.add({ stop: () => void (health.ready = false) });
    const { own: url, console: consoleUrl } = addresses();
    return {
      ctx,
      app,
      sessions,
      url,
      consoleUrl,
      mqttPort: offers.mqttPort,
      databaseUrl,
      firstLogin,
      stop: running.stop,
    };
  } catch (error) {
    await running.stop();
    throw error;
  }
}
