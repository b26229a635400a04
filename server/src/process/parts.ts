// The parts of a process in start order. A new part is an entry here.
import { isLoopback } from "../config.ts";
import { findCountedOwners } from "../counts/counted.store.ts";
import { serveRelayedCalls, createRelayedCalls } from "../device/command/command-relay.ts";
import { createSecretCheck } from "../device/credential/credential.ts";
import { startSensorGateway } from "../device/sensor-gateway.ts";
import type { Host } from "./host.ts";
import { createHub } from "../live/hub.ts";
import { exchangePresences } from "../live/presence-exchange.ts";
import { createLiveChannel, livePath } from "../live/socket.ts";
import { registerOutboxMetrics } from "../mail/outbox-metrics.ts";
import { capabilities, nouns } from "./nouns.ts";
import { displayPath, startDisplayChannel } from "../occupancy/display/display-socket.guard.ts";
import { openOutagesAtStart } from "../occupancy/ledger/outage.service.ts";
import { openChannel } from "../open/connection.ts";
import { createRunningParts, type Part } from "../open/part.ts";
import { findOwners } from "../owned/owner.ts";
import { createRemoteAccessGuard } from "../remote-access/remote-access.guard.ts";
import { startRestRollout } from "../rollout/rest.service.ts";
import { confirmChangesOverTunnels } from "../section/confirmation.service.ts";
import { readSectionsOverTunnels } from "../section/reading.service.ts";
import { startTunnels, tunnelPath } from "../tunnel/tunnel.guard.ts";
import { serveTunnelRelay, createTunnelRelay } from "../tunnel/tunnel-relay.ts";
import { findTunnelHost } from "../tunnel/tunnel.store.ts";
import { findChangedVehicles } from "../vehicle/vehicle.live.ts";

const anywhere = ["api", "gateway", "worker"] as const;

export const parts: readonly Part<Host>[] = [
  {
    name: "tunnels of other processes",
    runsIn: anywhere,
    start({ ctx, services }) {
      if (ctx.config.database.url === null) return null;
      const relay = (services.tunnelRelay = createTunnelRelay(ctx.bus));
      return { stop: relay.stop };
    },
  },
  { name: "live channel", runsIn: ["api"], upgrades: () => [livePath], start: startLive },
  {
    name: "displays",
    runsIn: ["api"],
    upgrades: () => [displayPath],
    start({ ctx, app, leases, display }) {
      const displays = startDisplayChannel(ctx, display);
      const sockets = openChannel(ctx, app.server, leases, displays.channel);
      return {
        missed: displays.missed,
        messagesLost: displays.missed,
        drain: sockets.drain,
        stop() {
          sockets.stop();
          return displays.stop();
        },
      };
    },
  },
  {
    name: "device gateway",
    runsIn: ["gateway"],
    upgrades: ({ mqtt }) => (mqtt.url === null ? ["/mqtt"] : []),
    prepare: openOutagesAtStart,
    async start({ ctx, app, services, addresses }) {
      const gateway = await startSensorGateway(ctx, {
        capabilities,
        http: app.server,
        baseUrl: () => addresses().devices,
      });
      services.mqttPort = gateway.port;
      services.gateway = gateway;
      const endRelay = serveRelayedCalls(ctx, gateway);
      return {
        missed: gateway.missed,
        messagesLost: gateway.messagesLost,
        isReady: () => gateway.isReady() || "the broker is not connected",
        stop() {
          endRelay();
          return gateway.stop();
        },
      };
    },
  },
  { name: "tunnels", runsIn: ["gateway"], upgrades: () => [tunnelPath], start: startTunnelPart },
  {
    name: "commands to sensors",
    runsIn: ["api"],
    start({ ctx, services }) {
      const relay = (services.devices = createRelayedCalls(ctx, services.gateway));
      return { stop: relay.stop };
    },
  },
  {
    name: "device pages",
    runsIn: ["api", "gateway"],
    async start({ ctx, sessions, longCalls, services, proxy }) {
      const guard = createRemoteAccessGuard(ctx, sessions, longCalls);
      await guard.missed();
      services.pages = {
        sessions: guard,
        tunnels: services.tunnels,
        peerOf: (sensorId) => findTunnelHost(ctx.db, sensorId),
      };
      return {
        missed: guard.missed,
        stop() {
          services.pages = null;
          guard.stop();
          proxy.stop();
        },
      };
    },
  },
  {
    name: "jobs",
    runsIn: ["worker"],
    prepare: async (ctx) => registerOutboxMetrics(ctx),
    start({ scheduler }) {
      scheduler.start();
      return { stop: () => scheduler.stop() };
    },
  },
];

function startLive({ ctx, app, leases, sessions, auth, services }: Host) {
  const hub = createHub(
    ctx,
    sessions,
    (ids) => findOwners(ctx.db, ids),
    (locationIds, sensorIds) => findCountedOwners(ctx.db, locationIds, sensorIds),
    (changes) => findChangedVehicles(ctx, changes),
  );
  services.hub = hub;
  for (const { live } of nouns) if (live) hub.register(live.type, live.source(ctx));
  const presences = exchangePresences(ctx, auth.presenceChanged);
  const sockets = openChannel(ctx, app.server, leases, createLiveChannel(ctx, hub, auth, sessions));
  return {
    missed: hub.missed,
    messagesLost: presences.sendAll,
    drain: sockets.drain,
    async stop() {
      await hub.stop();
      sockets.stop();
      presences.stop();
    },
  };
}

function startTunnelPart({ ctx, app, services, addresses }: Host) {
  const { host, internalUrl } = ctx.config;
  const tunnels = startTunnels(ctx, app.server, {
    authenticate: createSecretCheck(ctx),
    url: internalUrl ?? (isLoopback(host) ? addresses().own : null),
  });
  services.tunnels = tunnels;
  const users = createRunningParts(ctx.log);
  users.add({ stop: serveTunnelRelay(ctx.bus, tunnels) });
  users.add({ stop: confirmChangesOverTunnels(ctx, tunnels) });
  users.add(readSectionsOverTunnels(ctx, tunnels));
  users.add(startRestRollout(ctx, { tunnels, baseUrl: () => addresses().devices }));
  return {
    async stop() {
      await users.stopAtOnce();
      await tunnels.stop();
    },
  };
}
