// Builds the product from its parts in order and stops them in reverse; main.ts and the tests start it the same way.
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { bootstrapRoot, requireStrongAdmin } from "./account/bootstrap.service.ts";
import { findOwners } from "./owned/owner.ts";
import { buildApp } from "./app.ts";
import { createAuthGuard } from "./auth/auth.guard.ts";
import { createBus } from "./kit/bus.ts";
import { type Clock, createClock } from "./kit/clock.ts";
import { type Config, ConfigError, isAnyAddress, isLoopback, reachableName } from "./config.ts";
import type { Context } from "./context.ts";
import { bridgeBus } from "./db/bus-bridge.ts";
import { findCountedOwners } from "./datapoint/counts/counted.store.ts";
import { openDatabase } from "./db/database.ts";
import { holdsDemo } from "./demo/demo.seed.ts";
import { startEmbeddedPostgres } from "./db/postgres/embedded-postgres.ts";
import { migrate } from "./db/migrate.ts";
import type { Health } from "./http/ops.ts";
import { createSessions, type Sessions } from "./credential/session.service.ts";
import { guardUpgrades, type UpgradeGuard } from "./open/upgrade.ts";
import { createScheduler } from "./jobs/scheduler.ts";
import { displayPath, startDisplays } from "./occupancy/display/display-socket.guard.ts";
import { createDisplayGuard } from "./occupancy/display/display.guard.ts";
import { doubtSensors } from "./occupancy/ledger/outage.service.ts";
import { createLongCalls } from "./http/long-calls.ts";
import { createHub, type Hub } from "./live/hub.ts";
import { createPresences } from "./kit/presences.ts";
import { liveChannel, livePath } from "./live/socket.ts";
import { openChannel } from "./open/connection.ts";
import { createLeases, type Leases } from "./open/lease.ts";
import { createMetrics } from "./kit/metrics.ts";
import { siteWarnings } from "./kit/site.ts";
import { capabilities, nouns, productJobs } from "./nouns.ts";
import { startRestRollout } from "./rollout/rest.service.ts";
import { startSensorGateway } from "./device/gateway.ts";
import type { DeviceCalls } from "./device/command/request.ts";
import { answerRelayed, relayCalls } from "./device/command/command-relay.ts";
import { createSecretCheck } from "./device/credential/credential.ts";
import { createProxy, type ProxyParts } from "./proxy/proxy.ts";
import { createRemoteAccessGuard } from "./remote-access/remote-access.guard.ts";
import { confirmOverTunnels } from "./section/confirmation.service.ts";
import { readOverTunnels } from "./section/reading.service.ts";
import { TunnelError, type TunnelReply, type TunnelRequest } from "./tunnel/tunnel.service.ts";
import { findHolder } from "./tunnel/tunnel.store.ts";
import { answerTunnelRelay, relayTunnels } from "./tunnel/tunnel-relay.ts";
import { startTunnels, type TunnelGuard, tunnelPath } from "./tunnel/tunnel.guard.ts";

export type Server = {
  ctx: Context;
  app: FastifyInstance;
  sessions: Sessions;
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
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).toReversed()) {
      await Promise.resolve(one()).catch((error: unknown) => log.error({ err: error }, "a part did not stop cleanly"));
    }
  };
  requireStrongAdmin(config, log);
  try {
    const databaseUrl = config.database.url ?? (await embedded(config, log, stops));
    const applied = await migrate(databaseUrl);
    if (applied.length > 0) log.info({ applied }, "the database schema is up to date");
    const db = openDatabase(databaseUrl, { pool: config.database.pool, log });
    stops.push(() => db.destroy());

    const ctx: Context = {
      config,
      db,
      bus: createBus(log),
      clock: options.clock ?? createClock(),
      log,
      metrics: createMetrics(),
      presences: createPresences(),
    };
    const onGap: (() => Promise<void> | void)[] = [];
    if (config.parts.size < 3) {
      const bridge = await bridgeBus(ctx.bus, databaseUrl, log, () => {
        for (const one of onGap)
          void Promise.resolve(one()).catch((error: unknown) =>
            log.warn({ err: error }, "missed events were not made good"),
          );
      });
      stops.push(() => bridge.stop());
      ctx.bus = bridge;
    }
    await refuseOpenDemo(ctx);
    const firstLogin = await bootstrapRoot(ctx);
    for (const warning of siteWarnings(config)) log.warn(warning);
    const leases = createLeases(ctx);
    const sessions = createSessions(ctx, leases);
    const longCalls = createLongCalls(leases, sessions);
    onGap.push(leases.missed);
    const health: Health = { ready: false };
    const scheduler = createScheduler(ctx, productJobs(ctx));
    const auth = createAuthGuard(ctx, sessions);
    const display = createDisplayGuard(ctx, leases, sessions, auth);
    let mqttPort: number | null = null;
    let devices: DeviceCalls | null = null;
    let hub: Hub | null = null;
    let tunnels: TunnelGuard | null = null;
    let pages: ReturnType<ProxyParts["running"]> = null;
    const proxy = createProxy({
      log,
      root: config.deviceRoot,
      scheme: config.deviceRoot.scheme ?? (config.publicUrl.startsWith("https:") ? "https" : "http"),
      consoleUrl: () => urlsOf(config, app).console,
      running: () => pages,
    });
    // Other processes may have tunnels, too.
    const relay = config.parts.size < 3 ? relayTunnels(ctx.bus) : null;
    if (relay) stops.push(() => relay.stop());
    const requireTunnels = (): TunnelGuard => {
      if (!tunnels) throw new TunnelError("No gateway runs", false);
      return tunnels;
    };
    const nounParts = {
      sessions,
      longCalls,
      auth,
      display,
      health,
      runJobs: () => scheduler.runDue(),
      mqttPort: () => mqttPort,
      devices: () => devices,
      latestChange: () => hub?.latest() ?? null,
      liveCursor: (accountId: string, at: number) => hub?.cursorOf(accountId, at) ?? null,
      url: (): string => urlsOf(config, app).devices,
      askSensor: async (sensorId: string, request: TunnelRequest): Promise<TunnelReply> =>
        tunnels?.isOpen(sensorId) || !relay
          ? requireTunnels().request(sensorId, request)
          : relay.ask(sensorId, request),
      probe: async (sensorId: string): Promise<boolean | null> =>
        tunnels?.isOpen(sensorId) || !relay ? ((await tunnels?.probe(sensorId)) ?? null) : relay.probe(sensorId),
    };
    const { app } = await buildApp(ctx, nounParts, proxy);
    if (config.parts.has("gateway")) await doubtSensors(ctx);
    // Before anything listens: clients that come back at once must not meet a path whose part is still starting.
    const upgrades = guardUpgrades(app.server, upgradePaths(config));
    await app.listen({ host: config.host, port: config.port });
    stops.push(() => app.close());

    if (config.parts.has("api")) {
      const live = startLive(ctx, app, leases, sessions, auth, onGap, upgrades);
      hub = live.hub;
      stops.push(live.stop);
      const displays = startDisplays(ctx, display);
      const sockets = openChannel(ctx, app.server, leases, displays.channel);
      upgrades.open(displayPath);
      onGap.push(displays.missed);
      stops.push(() => {
        upgrades.shut(displayPath);
        sockets.stop();
        return displays.stop();
      });
    }

    if (config.parts.has("gateway")) {
      const gateway = await startSensorGateway(ctx, {
        capabilities,
        http: app.server,
        baseUrl: () => urlsOf(config, app).devices,
      });
      onGap.push(gateway.missed);
      mqttPort = gateway.port;
      // It turns away who comes during its stop by itself.
      upgrades.open("/mqtt");
      devices = gateway;
      stops.push(() => gateway.stop(), answerRelayed(ctx, gateway));
      const opened = startTunnels(ctx, app.server, {
        authenticate: createSecretCheck(ctx),
        url: config.internalUrl ?? (isLoopback(config.host) ? urlsOf(config, app).own : null),
      });
      tunnels = opened;
      upgrades.open(tunnelPath);
      stops.push(() => {
        upgrades.shut(tunnelPath);
        return opened.stop();
      });
      stops.push(answerTunnelRelay(ctx.bus, opened), confirmOverTunnels(ctx, opened));
      const reading = readOverTunnels(ctx, opened);
      stops.push(() => reading.stop());
      const rest = startRestRollout(ctx, { tunnels: opened, baseUrl: () => urlsOf(config, app).devices });
      stops.push(() => rest.stop());
    } else if (config.parts.has("api")) {
      const relay = relayCalls(ctx);
      devices = relay;
      stops.push(() => relay.stop());
    }
    if (config.parts.has("api") || config.parts.has("gateway")) {
      const guard = createRemoteAccessGuard(ctx, sessions, longCalls);
      onGap.push(guard.missed);
      await guard.missed();
      pages = { sessions: guard, tunnels, peerOf: (sensorId) => findHolder(ctx.db, sensorId) };
      stops.push(() => {
        pages = null;
        guard.stop();
        proxy.stop();
      });
    }
    if (config.parts.has("worker")) {
      scheduler.start();
      stops.push(() => scheduler.stop());
    }
    await options.beforeReady?.(ctx);
    health.ready = true;
    stops.push(() => void (health.ready = false));
    const { own: url, console: consoleUrl } = urlsOf(config, app);
    return { ctx, app, sessions, url, consoleUrl, mqttPort, databaseUrl, firstLogin, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Where this process takes upgrades. One that ends with a slash stands for all that begin with it. */
export function upgradePaths({ parts, mqtt }: Config): Set<string> {
  const paths = parts.has("api") ? [livePath, displayPath] : [];
  if (parts.has("gateway")) paths.push(tunnelPath);
  if (parts.has("gateway") && mqtt.url === null) paths.push("/mqtt");
  return new Set(paths);
}

/** Where this process itself listens, what a person opens, and what devices are handed. */
function urlsOf({ host, port, publicUrl, isPublicUrlSet }: Config, app: FastifyInstance) {
  const address = app.server.address();
  const takenPort = typeof address === "object" && address ? address.port : port;
  const name = isAnyAddress(host) ? "localhost" : host;
  const own = `http://${name.includes(":") ? `[${name}]` : name}:${takenPort}`;
  // While PUBLIC_URL is not set: what a browser on this machine finds.
  const console = isPublicUrlSet ? publicUrl : `http://${reachableName(host)}:${takenPort}`;
  return { own, console, devices: isPublicUrlSet ? publicUrl : own };
}

/** The live channel with everything that speaks on it, and the function that ends it. */
function startLive(
  ctx: Context,
  app: FastifyInstance,
  leases: Leases,
  sessions: Sessions,
  auth: ReturnType<typeof createAuthGuard>,
  onGap: (() => Promise<void> | void)[],
  upgrades: UpgradeGuard,
) {
  const hub = createHub(
    ctx,
    sessions,
    (ids) => findOwners(ctx.db, ids),
    (locationIds, sensorIds) => findCountedOwners(ctx.db, locationIds, sensorIds),
  );
  onGap.push(hub.missed);
  for (const { live } of nouns) if (live) hub.register(live.type, live.source(ctx));
  const live = openChannel(ctx, app.server, leases, liveChannel(ctx, hub, auth, sessions));
  upgrades.open(livePath);
  const stop = async () => {
    await hub.stop();
    upgrades.shut(livePath);
    live.stop();
  };
  return { hub, stop };
}

/** A demo world has passwords that everybody knows: without the demo it would be served to the world. */
async function refuseOpenDemo(ctx: Context): Promise<void> {
  const { host, demo } = ctx.config;
  if (demo.on || isLoopback(host) || !(await holdsDemo(ctx))) return;
  throw new ConfigError(
    "this database holds the demo world with its known passwords: start with DEMO=on, with HOST=127.0.0.1, or with another DATA_DIR",
  );
}

async function embedded(config: Config, log: Logger, stops: (() => Promise<void> | void)[]): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(config.dataDir, "postgres"), log });
  stops.push(() => postgres.stop());
  return postgres.url;
}
