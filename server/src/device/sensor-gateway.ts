// Assembles, starts and stops everything that handles devices, from the broker to the capabilities.
import { randomUUID } from "node:crypto";
import type { Server as HttpServer } from "node:http";
import type { Context } from "../context.ts";
import { type Broker, reasonCodes } from "../mqtt/broker.ts";
import { createProvisioner } from "../mqtt/dynamic-security.ts";
import { createEmbeddedBroker } from "../mqtt/embedded-broker.ts";
import { createExternalBroker } from "../mqtt/external-broker.ts";
import { createGateway } from "../mqtt/gateway.ts";
import { type Capability, findRecordStore } from "./capability.ts";
import { createDeviceCalls } from "./command/request.ts";
import { createBrokerCleanup } from "./credential/broker-clients.ts";
import { createSecretCheck } from "./credential/credential.ts";
import { changeExternalSecret, promoteNextSecrets, getRenewalOrders } from "./credential/renewal.ts";
import { createConnections, type Connections } from "./gateways/connections.ts";
import { createGatewayLease, type GatewayLease } from "./gateways/lease.ts";
import { createClockTracker } from "./clock/clocks.ts";
import { createDisconnector } from "./disconnector.ts";
import { createDropIntake } from "./drop-intake.ts";
import { createDesiredPublisher } from "./desired/desired-publisher.ts";
import { createTakeoverTracker } from "./identity/takeovers.ts";
import { createBirthQueue, registerDeviceHandlers, sendCommand } from "./messages.ts";
import { createPresence, deathDelayMs, type Presence } from "./presence/presence.ts";
import { createPresenceWriter } from "./presence/presence-writer.ts";
import {
  findConnectedSensors,
  findLastContacts,
  findSensorsDeletedSince,
  findUndeletedSensors,
} from "./presence/presence.store.ts";
import { createAckScheduler } from "./record/acks.ts";
import { createRecorder } from "./record/records.ts";

export type SensorGateway = Awaited<ReturnType<typeof startSensorGateway>>;

export type GatewayOptions = {
  capabilities: readonly Capability[];
  http?: HttpServer;
  baseUrl?: () => string;
  /** How long sensors may take to reconnect after a server start. */
  reconnectGraceMs?: number;
  pingTimeoutMs?: number;
  /** Two failed requests with a shorter timeout only trigger a ping. */
  shortTimeoutMs?: number;
  /** How long a connection may take to send CONNECT. */
  connectTimeoutMs?: number;
};

const tickMs = 500;
const ackTickMs = 100;
const forgetMs = 60_000;
const ackExpiryS = 3600;
const defaultGraceMs = 90_000;
const defaultPingTimeoutMs = 10_000;
const defaultShortMs = 5_000;
/** Sensors that were deleted longer ago than this have been disconnected already. */
const maxGapMs = 86_400_000;

// oxlint-disable-next-line max-lines-per-function -- the wiring of the device side: what depends on what is read from top to bottom
export async function startSensorGateway(ctx: Context, options: GatewayOptions) {
  const { capabilities, shortTimeoutMs = defaultShortMs, reconnectGraceMs = defaultGraceMs } = options;
  const gatewayId = randomUUID();
  const isExternal = ctx.config.mqtt.url !== null;
  const embedded = !isExternal ? await createEmbeddedBroker(ctx, options.connectTimeoutMs) : null;
  const provisioner = createProvisioner(ctx);
  const broker: Broker = embedded ?? createExternalBroker(ctx, provisioner, gatewayId);
  const gateway = createGateway(ctx, broker);
  const warnNotSent = (error: unknown) => ctx.log.warn({ err: error }, "a message to a device was not sent");
  const running = capabilities.map(({ start }) => start?.(ctx) ?? {});

  const changes = createPresenceWriter(ctx, isExternal ? gatewayId : null);
  const clocks = createClockTracker(ctx.clock.now, (sensorId, clock) => void changes.add({ sensorId, clock }));
  const takeovers = createTakeoverTracker(
    ctx.clock.now,
    (sensorId, sharedIdentity) => void changes.add({ sensorId, sharedIdentity }),
  );
  const requests = createDeviceCalls(ctx, { gateway, gatewayId, presence: () => presence, shortTimeoutMs });
  const presence: Presence = createPresence({
    now: ctx.clock.now,
    write(change) {
      const connection = connections.numberOf(change.sensorId);
      return changes.add(connection === undefined ? change : { ...change, connection });
    },
    isConnected: gateway.isConnected,
    askRebirth: (sensorId) => void sendCommand(gateway, sensorId, { do: "rebirth" }).catch(warnNotSent),
    ping: (sensorId) => requests.ping(sensorId, options.pingTimeoutMs ?? defaultPingTimeoutMs),
    check: (sensorId) => requests.ping(sensorId, options.pingTimeoutMs ?? defaultShortMs),
    ...(isExternal
      ? {
          shared: {
            isResponsible: (sensorId) => lease.isResponsible(sensorId),
            hasOthers: () => lease.hasOthers(),
            isReady: gateway.isReady,
            findLastContacts: (sensorIds) => findLastContacts(ctx.db, sensorIds),
          },
        }
      : {}),
  });
  const connections: Connections = createConnections(ctx, {
    gatewayId,
    isConnected: (sensorId) => gateway.isConnected(sensorId) === true,
    checkSecret: createSecretCheck(ctx, (proved) => promoteNextSecrets(ctx, proved)),
    onMoved(sensor) {
      if (sensor.isConnected) presence.restore([sensor], deathDelayMs);
    },
    onReplaced(sensorId, to) {
      presence.forget(sensorId);
      acks.forget(sensorId);
      clocks.forget(sensorId);
      void gateway.endReplaced(sensorId, to).catch(warnNotSent);
    },
  });
  const lease: GatewayLease = createGatewayLease(ctx, {
    gatewayId,
    isExternal,
    onOrphans(sensors) {
      connections.adopt(sensors);
      presence.restore(sensors, reconnectGraceMs);
    },
    onLeaseLost: connections.readmit,
    onOthersEnded() {
      if (!isExternal) return;
      gateway.readRetained();
      drops.repeat();
      resend().catch(warnNotSent);
    },
  });
  const isMine = (sensorId: string) => !isExternal || lease.isResponsible(sensorId);
  const isHere = (sensorId: string) => gateway.isConnected(sensorId) ?? lease.isResponsible(sensorId);
  const acks = createAckScheduler(ctx.clock.now, presence.isOnline, (sensorId, ack) => {
    gateway.publish(sensorId, "ack", ack, { qos: 1, expiryS: ackExpiryS }).catch(warnNotSent);
  });
  const recorder = createRecorder(ctx, findRecordStore(capabilities), acks.note, presence.missBirth);

  const desired = createDesiredPublisher(ctx, {
    gateway,
    gatewayId,
    isExternal,
    lease,
    capabilities,
    baseUrl: options.baseUrl ?? (() => ctx.config.publicUrl),
    onError: warnNotSent,
  });
  async function sendRenewals(sensorIds: readonly string[]) {
    for (const { sensorId, id, password } of await getRenewalOrders(ctx, sensorIds))
      await sendCommand(gateway, sensorId, { do: "cred", id, password }).catch(warnNotSent);
  }
  const births = createBirthQueue(ctx, acks, async (sensorIds) => {
    await sendRenewals(sensorIds);
    await desired.publishNow(sensorIds);
  });

  const disconnector = createDisconnector({
    findUndeletedSensors: (sensorIds) => findUndeletedSensors(ctx.db, sensorIds),
    abandon: requests.abandon,
    async end(sensorId, isGone) {
      acks.forget(sensorId);
      clocks.forget(sensorId);
      // The former owner's state must not be published after its retained message was removed.
      await desired.idle(sensorId);
      await gateway.clear(sensorId, "desired");
      if (isGone) await provisioner?.revoke(sensorId);
      await gateway.disconnect(sensorId, isGone ? reasonCodes.notAuthorized : reasonCodes.administrativeAction);
      await presence.drop(sensorId);
    },
    onError: warnNotSent,
  });
  const drops = createDropIntake({
    isMine,
    end: (sensorIds) => void disconnector.end(sensorIds),
    forget(sensorId) {
      requests.abandon(sensorId);
      acks.forget(sensorId);
      clocks.forget(sensorId);
      presence.forget(sensorId);
    },
  });
  async function recheck() {
    if (isExternal) presence.resync(await findConnectedSensors(ctx.db));
    else await connections.recheck();
  }
  async function resend() {
    const connected = (await findConnectedSensors(ctx.db)).map((row) => row.id).filter(isHere);
    desired.add(connected);
    await sendRenewals(connected);
  }
  async function dropDeleted() {
    const gone = await findSensorsDeletedSince(ctx.db, new Date(ctx.clock.now() - maxGapMs));
    drops.add(gone.filter((sensorId) => gateway.isConnected(sensorId) !== false));
  }
  const unsubscribe = [
    ctx.bus.on("desiredChanged", ({ sensorIds }) => desired.onChanged(sensorIds)),
    ctx.bus.on("sensorsDropped", ({ sensorIds }) => drops.add(sensorIds)),
    ctx.bus.on("presencesChanged", (event) => {
      // Of this gateway's own births, only those whose death arrived first are news.
      for (const change of event.changes)
        if (event.gatewayId !== gatewayId || change.isConnected === false) presence.follow(change);
    }),
    connections.stop,
  ];

  registerDeviceHandlers(ctx, gateway, {
    presence,
    changes,
    recorder,
    acks,
    births,
    clocks,
    takeovers,
    capabilities: running,
    isMine,
    onHeldPassword: (sensorId, orderId) =>
      provisioner ? changeExternalSecret(ctx, provisioner, sensorId, orderId).catch(warnNotSent) : Promise.resolve(),
  });
  const cleanBroker = createBrokerCleanup(ctx, provisioner);
  gateway.onLink((isFirst) => {
    presence.extendGrace(reconnectGraceMs);
    if (!isFirst || !lease.hasOthers()) gateway.readRetained();
    void cleanBroker();
    // The broker lists no sessions, so those of sensors that were deleted while no gateway ran may be open.
    if (isFirst && isExternal && !provisioner && !lease.hasOthers()) dropDeleted().catch(warnNotSent);
  });
  await lease.start();
  if (isExternal) presence.restore(await findConnectedSensors(ctx.db), lease.hasOthers() ? null : reconnectGraceMs);
  if (options.http) embedded?.attach(options.http);
  try {
    await gateway.start({
      authenticate: connections.admit,
      isAdmitted: (sensorId) => connections.numberOf(sensorId) !== undefined,
    });
  } catch (error) {
    await lease.end();
    await broker.stop();
    await provisioner?.stop();
    throw error;
  }
  const timers = [
    setInterval(() => takeovers.tick(), forgetMs),
    setInterval(() => void presence.tick(), tickMs),
    setInterval(() => acks.tick(), ackTickMs),
  ];

  return {
    /** Port of plain MQTT; null with an external broker. */
    port: embedded?.port() ?? null,
    /** Failed requests can mark the sensor as not responding (command/request.ts). */
    call: requests.call,
    send: requests.send,
    /** Runs the periodic work now; for tests with a stopped clock. */
    async tick() {
      acks.tick();
      await presence.tick();
    },
    gatewayId,
    /** Null if the broker can't tell, because any gateway reaches the sensor. */
    isConnected: gateway.isConnected,
    /** Whether devices can be reached: with an external broker, whether the link to it is up. */
    isReady: gateway.isReady,
    /** Renews the lease now, and takes over the sensors of gateways that do not run anymore; for tests. */
    renewLease: lease.tick,
    /** Called when messages of other processes may have been lost. */
    messagesLost: recheck,
    /**
     * Called when announcements were lost. Ends the sessions of deleted sensors, and sends desired states and pending passwords
     * again.
     */
    async missed() {
      await recheck();
      await dropDeleted();
      await resend();
      await cleanBroker();
    },
    async stop() {
      broker.prepareStop?.();
      for (const off of unsubscribe) off();
      for (const timer of timers) clearInterval(timer);
      disconnector.stop();
      requests.stop();
      // Commits and acknowledges pending records before the connections end; devices keep the rest.
      await settle(ctx, [desired.stop(), recorder.stop(), changes.stop("all"), births.stop("current")]);
      await settle(
        ctx,
        running.map((capability) => capability.stop?.()),
      );
      acks.tick();
      const hasOthers = await lease.end().catch(() => lease.hasOthers());
      await gateway.stop(!hasOthers);
      await provisioner?.stop();
    },
  };
}

/** Waits for all, so that one that fails does not keep the lease and the connections open. */
async function settle({ log }: Context, work: readonly unknown[]): Promise<void> {
  for (const one of await Promise.allSettled(work))
    if (one.status === "rejected") log.error({ err: one.reason }, "the device gateway did not stop cleanly");
}
