// Assembles, starts and stops everything that handles devices, from the broker to the capabilities.
import type { Server as HttpServer } from "node:http";
import type { Context } from "../context.ts";
import { isDatabaseUnavailable, isDeadlock } from "../db/database.ts";
import { type Broker, reasonCodes } from "../mqtt/broker.ts";
import { createProvisioner } from "../mqtt/dynamic-security.ts";
import { createEmbeddedBroker } from "../mqtt/embedded-broker.ts";
import { createExternalBroker } from "../mqtt/external-broker.ts";
import { createGateway } from "../mqtt/gateway.ts";
import type { Capability } from "./capability.ts";
import { createDeviceCalls } from "./command/request.ts";
import { createSecretCheck } from "./credential/credential.ts";
import { changeExternalSecret, promoteNextSecrets, getRenewalOrders } from "./credential/renewal.ts";
import { createClockTracker } from "./clock/clocks.ts";
import { createDisconnector } from "./disconnector.ts";
import { computeDesiredStates, createDesiredQueue } from "./desired/desired.ts";
import { createTakeoverTracker } from "./identity/takeovers.ts";
import { createBirthQueue, registerDeviceHandlers, sendCommand } from "./messages.ts";
import { createPresence, createPresenceWriter, type Presence } from "./presence/presence.ts";
import { findConnectedSensors, findSensorsDeletedSince, findUndeletedSensors } from "./presence/presence.store.ts";
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
const desiredChunkSize = 500;
/** Limits the database connections that a large batch uses. */
const desiredConcurrency = 2;
/** Sensors that were deleted longer ago than this have been disconnected already. */
const maxGapMs = 86_400_000;

// oxlint-disable-next-line max-lines-per-function -- the wiring of the device side: what depends on what is read from top to bottom
export async function startSensorGateway(ctx: Context, options: GatewayOptions) {
  const { capabilities, shortTimeoutMs = defaultShortMs, reconnectGraceMs = defaultGraceMs } = options;
  const embedded = ctx.config.mqtt.url === null ? await createEmbeddedBroker(ctx, options.connectTimeoutMs) : null;
  const provisioner = createProvisioner(ctx);
  const broker: Broker = embedded ?? createExternalBroker(ctx, provisioner);
  const gateway = createGateway(ctx, broker);
  const warnNotSent = (error: unknown) => ctx.log.warn({ err: error }, "a message to a device was not sent");
  const running = capabilities.map(({ start }) => start?.(ctx) ?? {});

  const changes = createPresenceWriter(ctx);
  const clocks = createClockTracker(ctx.clock.now, (sensorId, clock) => void changes.add({ sensorId, clock }));
  const takeovers = createTakeoverTracker(
    ctx.clock.now,
    (sensorId, sharedIdentity) => void changes.add({ sensorId, sharedIdentity }),
  );
  const requests = createDeviceCalls(ctx, { gateway, presence: () => presence, shortTimeoutMs });
  const presence: Presence = createPresence({
    now: ctx.clock.now,
    write: changes.add,
    isConnected: gateway.isConnected,
    askRebirth: (sensorId) => void sendCommand(gateway, sensorId, { do: "rebirth" }).catch(warnNotSent),
    ping: (sensorId) => requests.ping(sensorId, options.pingTimeoutMs ?? defaultPingTimeoutMs),
    check: (sensorId) => requests.ping(sensorId, options.pingTimeoutMs ?? defaultShortMs),
  });
  const acks = createAckScheduler(ctx.clock.now, presence.isOnline, (sensorId, ack) => {
    gateway.publish(sensorId, "ack", ack, { qos: 1, expiryS: ackExpiryS }).catch(warnNotSent);
  });
  const recorder = createRecorder(ctx, findRecordStore(capabilities), acks.note);

  const baseUrl = options.baseUrl ?? (() => ctx.config.publicUrl);
  const desired = createDesiredQueue(
    async (sensorIds) => {
      for (const [sensorId, state] of await computeDesiredStates(ctx, capabilities, baseUrl(), sensorIds))
        await gateway.publish(sensorId, "desired", state, { qos: 1, retain: true }).catch(warnNotSent);
    },
    {
      chunkSize: desiredChunkSize,
      concurrency: desiredConcurrency,
      onError: warnNotSent,
      isTransient: (error) => isDatabaseUnavailable(error) || isDeadlock(error),
    },
  );
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
  const unsubscribe = [
    ctx.bus.on("desiredChanged", ({ sensorIds }) => desired.add(sensorIds)),
    ctx.bus.on("sensorsDropped", ({ sensorIds }) => void disconnector.end(sensorIds)),
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
    onHeldPassword: (sensorId, orderId) =>
      provisioner ? changeExternalSecret(ctx, provisioner, sensorId, orderId).catch(warnNotSent) : Promise.resolve(),
  });
  presence.restore(await findConnectedSensors(ctx.db), reconnectGraceMs);
  if (options.http) embedded?.attach(options.http);
  try {
    await gateway.start(createSecretCheck(ctx, (proved) => promoteNextSecrets(ctx, proved)));
  } catch (error) {
    await broker.stop();
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
    /**
     * Called when bus events may have been lost. Ends the sessions of deleted sensors, and sends desired states and pending passwords
     * again.
     */
    async missed() {
      const gone = await findSensorsDeletedSince(ctx.db, new Date(ctx.clock.now() - maxGapMs));
      await disconnector.end(gone.filter((sensorId) => gateway.isConnected(sensorId) !== false));
      const connected = (await findConnectedSensors(ctx.db)).map((row) => row.id);
      desired.add(connected);
      await sendRenewals(connected);
    },
    async stop() {
      for (const off of unsubscribe) off();
      for (const timer of timers) clearInterval(timer);
      disconnector.stop();
      requests.stop();
      // Commits and acknowledges pending records before the connections end; devices keep the rest.
      await desired.stop();
      await Promise.all([recorder.stop(), changes.stop("all"), births.stop("current")]);
      for (const capability of running) await capability.stop?.();
      acks.tick();
      await gateway.stop();
      await provisioner?.stop();
    },
  };
}

function findRecordStore(capabilities: readonly Capability[]) {
  const [store, ...others] = capabilities.flatMap(({ onRecords }) => onRecords ?? []);
  if (!store || others.length > 0) throw new Error("one capability stores the records of devices");
  return store;
}
