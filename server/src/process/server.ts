// Starts and stops the process: its database, shared objects, and parts; used by main.ts and tests.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { bootstrapRoot, requireStrongAdminPassword } from "../account/bootstrap.service.ts";
import type { Config } from "../config.ts";
import { type Context, createContext } from "../context.ts";
import { bridgeBus } from "../db/bus/bus-bridge.ts";
import { openNatsWire } from "../db/bus/nats-wire.ts";
import { openNotifyWire } from "../db/bus/notify-wire.ts";
import { startDatabase } from "../db/postgres/start-database.ts";
import { checkDemoExposure } from "../demo/open-demo.service.ts";
import { createHost, type Host } from "./host.ts";
import { answerEarly } from "../http/ops.ts";
import type { Clock } from "../kit/clock.ts";
import { findSiteWarnings } from "../kit/site.ts";
import { createRunningParts, prepareParts, startParts, listUpgradePaths } from "../open/part.ts";
import { createUpgradeGuard } from "../open/upgrade.ts";
import { parts } from "./parts.ts";
import { createFrontServer } from "../proxy/front-server.ts";
import { registerProcessMetrics } from "./process-metrics.ts";
import { warnOfOtherSecrets } from "./secret-marks.ts";

export type Server = Pick<Host, "ctx" | "app" | "sessions"> & {
  url: string;
  /** The URL for browsers, printed at the start. */
  consoleUrl: string;
  mqttPort: number | null;
  databaseUrl: string;
  firstLogin: { email: string; password: string } | null;
  /** Moves traffic to other processes for DRAIN_SECONDS, and lets running requests finish. */
  drain(): Promise<void>;
  stop(): Promise<void>;
};

type StartOptions = {
  clock?: Clock;
  /** Runs before /health reports ready. */
  beforeReady?: (ctx: Context) => Promise<void>;
};

/** How long running requests may take when the process stops. */
const requestLimitMs = 3_000;

/** Throws if the server can't start, after stopping what has already started. */
export async function startServer(config: Config, log: Logger, options: StartOptions = {}): Promise<Server> {
  const running = createRunningParts(log);
  requireStrongAdminPassword(config, log);
  const front = createFrontServer(answerEarly);
  try {
    await front.listen({ host: config.host, port: config.port });
    running.add({ stop: front.close });
    const { url: databaseUrl, directUrl, db, direct } = await startDatabase(config, log, running.add);
    const ctx = createContext({ config, db, log, clock: options.clock });
    registerProcessMetrics(ctx);
    if (config.telemetry !== null) {
      const { startTelemetry } = await import("./telemetry.ts");
      running.add(startTelemetry(ctx, config.telemetry));
    }
    await ctx.announcements.start(running.missed);
    running.add(ctx.announcements);
    await ctx.replica.start();
    running.add(ctx.replica);
    // No other process uses the embedded database.
    if (config.database.url !== null) {
      await warnOfOtherSecrets(ctx);
      const { busServers, secrets } = config;
      const wire = busServers ? openNatsWire(busServers, secrets.session, log) : openNotifyWire(directUrl);
      const bridge = await bridgeBus(ctx.bus, wire, ctx, {
        onCommit: ctx.announcements.noticed,
        onLoss: running.messagesLost,
      });
      running.add(bridge);
      ctx.announcements.onCommit(bridge.notify);
    }
    await checkDemoExposure(ctx);
    const firstLogin = await bootstrapRoot(ctx);
    for (const warning of findSiteWarnings(config)) log.warn(warning);
    const shared = await createHost(ctx, front, direct);
    const { app, addresses, health, leases, services, sessions } = shared;
    running.add({ missed: leases.recheckAll, stop: () => undefined });
    await prepareParts(parts, ctx);
    // Created before the server listens, because reconnecting clients must not reach a path whose part is still starting.
    const upgrades = createUpgradeGuard(app.server, listUpgradePaths(config, parts));
    await app.listen({ host: config.host, port: config.port });
    running.add({ stop: () => app.close() });
    await startParts(parts, { ...shared, upgrades }, running);
    await options.beforeReady?.(ctx);
    health.findMissing = running.findMissing;
    health.phase = "running";
    running.add({ stop: () => void (health.phase = "stopping") });
    const { own: url, console: consoleUrl } = addresses();
    return {
      ctx,
      app,
      sessions,
      url,
      consoleUrl,
      mqttPort: services.mqttPort,
      databaseUrl,
      firstLogin,
      async drain() {
        health.phase = "stopping";
        front.drain();
        const half = config.drainMs / 2;
        // First only the load balancers learn about it, so that the sockets' clients reconnect elsewhere.
        if (half > 0) await delay(half);
        if (half > 0) await Promise.all([running.drain(half), delay(half)]);
        await Promise.race([front.idle(), delay(requestLimitMs, undefined, { ref: false })]);
      },
      stop: running.stop,
    };
  } catch (error) {
    await running.stop();
    throw error;
  }
}
