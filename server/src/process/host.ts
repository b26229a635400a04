// Creates what the parts of a process share: the HTTP application, sessions, and the services of parts.
import type { FastifyInstance } from "fastify";
import { buildApp } from "./app.ts";
import { createAuthGuard } from "../auth/auth.guard.ts";
import { type Config, isAnyAddress, toBrowserHost } from "../config.ts";
import type { Context } from "../context.ts";
import { createSessionService, type SessionService } from "../credential/session.service.ts";
import type { Database } from "../db/database.ts";
import type { DeviceCalls } from "../device/command/request.ts";
import type { SensorGateway } from "../device/sensor-gateway.ts";
import { createLongCalls, type LongCalls } from "../http/long-calls.ts";
import type { Health } from "../http/ops.ts";
import { createScheduler } from "../jobs/scheduler.ts";
import type { Hub } from "../live/hub.ts";
import { createAllJobs } from "./nouns.ts";
import { createDisplayGuard, type DisplayGuard } from "../occupancy/display/display.guard.ts";
import { createLeases, type Leases } from "../open/lease.ts";
import type { UpgradeGuard } from "../open/upgrade.ts";
import type { FrontServer } from "../proxy/front-server.ts";
import { createProxy, type ProxyParts } from "../proxy/proxy.ts";
import type { TunnelGuard } from "../tunnel/tunnel.guard.ts";
import type { TunnelRelay } from "../tunnel/tunnel-relay.ts";
import { TunnelError } from "../tunnel/tunnel.service.ts";

/** Services that parts provide to routes and other parts; null while the part does not run. */
export type PartServices = {
  hub: Hub | null;
  mqttPort: number | null;
  gateway: SensorGateway | null;
  devices: DeviceCalls | null;
  tunnels: TunnelGuard | null;
  tunnelRelay: TunnelRelay | null;
  pages: ReturnType<ProxyParts["running"]>;
};

export type Host = {
  ctx: Context;
  config: Config;
  app: FastifyInstance;
  upgrades: UpgradeGuard;
  leases: Leases;
  sessions: SessionService;
  longCalls: LongCalls;
  auth: ReturnType<typeof createAuthGuard>;
  display: DisplayGuard;
  scheduler: ReturnType<typeof createScheduler>;
  proxy: ReturnType<typeof createProxy>;
  health: Health;
  services: PartServices;
  addresses(): BaseUrls;
};

/**
 * Base URLs. `own`: where the process listens; `console`: for people (docs/rules/start-and-configuration.md); `devices`: for devices.
 */
export type BaseUrls = { own: string; console: string; devices: string };

/** The application does not listen yet. */
export async function createHost(ctx: Context, front: FrontServer, direct: Database): Promise<Omit<Host, "upgrades">> {
  const { config, log } = ctx;
  const services: PartServices = {
    hub: null,
    mqttPort: null,
    gateway: null,
    devices: null,
    tunnels: null,
    tunnelRelay: null,
    pages: null,
  };
  const addresses = () => addressesOf(config, app);
  const leases = createLeases(ctx);
  const sessions = createSessionService(ctx, leases);
  const longCalls = createLongCalls(leases, sessions);
  const auth = createAuthGuard(ctx, sessions);
  const display = createDisplayGuard(ctx, leases, sessions, auth);
  const scheduler = createScheduler(ctx, createAllJobs(ctx), direct);
  const health: Health = { phase: "starting", findMissing: () => [] };
  const proxy = createProxy({
    log,
    root: config.deviceRoot,
    scheme: config.deviceRoot.scheme ?? (config.publicUrl.startsWith("https:") ? "https" : "http"),
    consoleUrl: () => addresses().console,
    running: () => services.pages,
  });
  const { app } = await buildApp(
    ctx,
    {
      sessions,
      longCalls,
      auth,
      display,
      health,
      runJobs: () => scheduler.runDue(),
      mqttPort: () => services.mqttPort,
      devices: () => services.devices,
      latestChange: () => services.hub?.latest() ?? null,
      liveCursor: (accountId, at) => services.hub?.cursorOf(accountId, at) ?? null,
      url: () => addresses().devices,
      ...throughTunnels(services),
    },
    front,
    proxy,
  );
  return {
    ctx,
    config,
    app,
    leases,
    sessions,
    longCalls,
    auth,
    display,
    scheduler,
    proxy,
    health,
    services,
    addresses,
  };
}

/** Sends requests through the sensor's tunnel, or relays them to the process that has the tunnel. */
function throughTunnels(services: PartServices): Pick<Parameters<typeof buildApp>[1], "askSensor" | "probe"> {
  const isHere = (sensorId: string) => services.tunnels?.isOpen(sensorId) || !services.tunnelRelay;
  return {
    async askSensor(sensorId, request) {
      if (!isHere(sensorId) && services.tunnelRelay) return services.tunnelRelay.ask(sensorId, request);
      if (!services.tunnels) throw new TunnelError("No gateway runs", false);
      return services.tunnels.request(sensorId, request);
    },
    async probe(sensorId) {
      if (!isHere(sensorId) && services.tunnelRelay) return services.tunnelRelay.probe(sensorId);
      return (await services.tunnels?.probe(sensorId)) ?? null;
    },
  };
}

function addressesOf({ host, port, publicUrl, isPublicUrlSet }: Config, app: FastifyInstance): BaseUrls {
  const address = app.server.address();
  const takenPort = typeof address === "object" && address ? address.port : port;
  const name = isAnyAddress(host) ? "localhost" : host;
  const own = `http://${name.includes(":") ? `[${name}]` : name}:${takenPort}`;
  // Without PUBLIC_URL, uses an address that a browser on this machine can reach.
  const console = isPublicUrlSet ? publicUrl : `http://${toBrowserHost(host)}:${takenPort}`;
  return { own, console, devices: isPublicUrlSet ? publicUrl : own };
}
