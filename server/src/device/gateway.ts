// Puts the device side together: broker, presence, records, acknowledgements, desired state; starts and stops it as one.
import type { Server as HttpServer } from "node:http";
import type { Context } from "../context.ts";
import { isDatabaseAway, isDeadlock } from "../db/database.ts";
import { createBatcher } from "../limits/batcher.ts";
import { type Broker, reasons } from "../mqtt/broker.ts";
import { createProvisioner } from "../mqtt/dynamic-security.ts";
import { createEmbeddedBroker } from "../mqtt/embedded-broker.ts";
import { createExternalBroker } from "../mqtt/external-broker.ts";
import { createGateway } from "../mqtt/gateway.ts";
import { AppError } from "../kit/app-error.ts";
import { createRequests } from "./command/request.ts";
import { hearDevices } from "../rollout/report.service.ts";
import { createAcks } from "./record/acks.ts";
import { createCutOff } from "./cut-off.ts";
import { createSecretCheck } from "./credential/credential.ts";
import { desiredOf } from "./desired/desired.ts";
import { createDesiredLine } from "./desired/desired-queue.ts";
import { announce, type Born, handleDeviceMessages, sendCommand } from "./messages.ts";
import type { DeviceCalls, KeepDeadLetters, StoreRecords } from "./ports.ts";
import { createPresence } from "./presence/presence.ts";
import {
  findConnected,
  findDeletedSince,
  findLiving,
  foldChanges,
  type PresenceChange,
  writePresence,
} from "./presence/presence.store.ts";
import { parseRanges } from "./record/received.ts";
import { changeOutside, endOldSecrets, renewalOrders } from "./credential/renewal.ts";
import { createRecorder } from "./record/records.ts";
import { noteBirth } from "./record/records.store.ts";

/** Asks devices; see mqtt/request.ts. Failures count towards "connected but does not respond". */
export type SensorGateway = DeviceCalls & {
  /** Port of plain MQTT, null with a broker outside. */
  port: number | null;
  /** Does now what otherwise happens about every second; for a clock that was moved. */
  tick(): Promise<void>;
  /** What other processes told may have been lost: looks for itself who must go, and who should be something else. */
  missed(): Promise<void>;
  stop(): Promise<void>;
};

export type GatewayOptions = {
  storeRecords: StoreRecords;
  keepDeadLetters: KeepDeadLetters;
  /** For MQTT over WebSocket at `/mqtt`. */
  http?: HttpServer;
  /** Where devices reach this server over HTTP; else as configured. */
  baseUrl?: () => string;
  /** How long sensors have to come back after a start of ours. */
  graceMs?: number;
  pingTimeoutMs?: number;
  /** Two questions with less patience than this that stay unanswered say only that a ping should ask. */
  patienceMs?: number;
  /** How long a connection may stay without CONNECT. */
  connectTimeoutMs?: number;
};

const presenceGatherMs = 100;
const mostChanges = 500;
const tickMs = 500;
const ackTickMs = 100;
const ackExpiryS = 3600;
const defaultGraceMs = 90_000;
const defaultPingTimeoutMs = 10_000;
const defaultPatienceMs = 5_000;
const desiredAtOnce = 500;
/** A batch of a million sensors leaves the other connections to everybody else. */
const desiredPartsAtOnce = 2;
/** Sensors deleted before that were dropped long ago, however long the gap. */
const longestGapMs = 86_400_000;

export async function startSensorGateway(ctx: Context, options: GatewayOptions): Promise<SensorGateway> {
  const embedded = ctx.config.mqtt.url === null ? await createEmbeddedBroker(ctx, options.connectTimeoutMs) : null;
  const provisioner = createProvisioner(ctx);
  const broker: Broker = embedded ?? createExternalBroker(ctx, provisioner);
  const gateway = createGateway(ctx, broker);
  const requests = createRequests(ctx, gateway);
  const complain = (error: unknown) => ctx.log.warn({ err: error }, "a message to a device was not sent");

  const changes = createBatcher<PresenceChange>({
    name: "presence",
    log: ctx.log,
    gatherMs: presenceGatherMs,
    maxWeight: mostChanges,
    async run(items) {
      const folded = foldChanges(items);
      const living = await ctx.db.transaction().execute((tx) => writePresence(tx, folded));
      const owners = new Map(living.map((row) => [row.id, row.owner_id]));
      for (const change of folded) {
        const owner = owners.get(change.sensorId);
        // Contact alone is no news to anybody's screen.
        if (owner !== undefined && Object.keys(change).some((key) => key !== "sensorId" && key !== "contactAt")) {
          announce(ctx, change.sensorId, owner);
        }
      }
    },
    onPoison: () => null,
  });

  const presence = createPresence({
    now: ctx.clock.now,
    write: changes.add,
    isConnected: gateway.isConnected,
    askRebirth: (sensorId) => void sendCommand(gateway, sensorId, { do: "rebirth" }).catch(complain),
    ping: (sensorId) => ping(sensorId, options.pingTimeoutMs ?? defaultPingTimeoutMs),
    check: (sensorId) => ping(sensorId, options.pingTimeoutMs ?? defaultPatienceMs),
  });
  const acks = createAcks(ctx.clock.now, presence.isOnline, (sensorId, ack) => {
    gateway.publish(sensorId, "ack", ack, { qos: 1, expiryS: ackExpiryS }).catch(complain);
  });
  const words = hearDevices(ctx);
  const baseUrl = options.baseUrl ?? (() => ctx.config.publicUrl);
  const recorder = createRecorder(ctx, { ...options, onProgress: acks.note });

  /** Everything a newborn device has to hear: what is stored of its buffer, and what it should be. */
  const births = createBatcher<Born>({
    name: "births",
    log: ctx.log,
    gatherMs: presenceGatherMs,
    maxWeight: mostChanges,
    async run(items) {
      const newest = [...new Map(items.map((item) => [item.sensorId, item])).values()];
      const rows = await ctx.db.transaction().execute((tx) => noteBirth(tx, ctx.clock.date(), newest));
      const known = new Map(rows.map((row) => [row.sensor_id, row]));
      for (const { sensorId, ep, firstQ } of newest) {
        acks.note({ sensorId, ep, ranges: parseRanges(known.get(sensorId)?.stored ?? ""), firstQ });
      }
      for (const { stored } of items) stored();
      const sensorIds = newest.map((item) => item.sensorId);
      await tellRenewals(sensorIds);
      await desiredLine.publishNow(sensorIds);
    },
    onPoison: () => null,
  });

  async function tellRenewals(sensorIds: readonly string[]) {
    for (const { sensorId, id, password } of await renewalOrders(ctx, sensorIds))
      await sendCommand(gateway, sensorId, { do: "cred", id, password }).catch(complain);
  }

  async function publishDesired(sensorIds: readonly string[]) {
    for (const [sensorId, desired] of await desiredOf(ctx, baseUrl(), sensorIds)) {
      await gateway.publish(sensorId, "desired", desired, { qos: 1, retain: true }).catch(complain);
    }
  }

  async function ask(sensorId: string, func: string, data: string, timeoutMs: number) {
    try {
      await requireConnected(sensorId);
      return await requests.ask(sensorId, func, data, timeoutMs);
    } catch (error) {
      const isHurried = timeoutMs < (options.patienceMs ?? defaultPatienceMs);
      presence.unanswered(sensorId, func === "ping" ? "ping" : isHurried ? "hurried" : "patient");
      throw error;
    }
  }

  function ping(sensorId: string, timeoutMs: number): void {
    void ask(sensorId, "ping", "", timeoutMs).catch(() => undefined);
  }

  /** A broker outside can't say who is connected; then the stored presence, whichever gateway noted it, does. */
  async function requireConnected(sensorId: string) {
    if (gateway.isConnected(sensorId) !== null) return;
    const row = await ctx.db.selectFrom("sensor").select("is_connected").where("id", "=", sensorId).executeTakeFirst();
    if (!row?.is_connected) throw new AppError(509);
  }

  const cutOff = createCutOff({
    findLiving: (sensorIds) => findLiving(ctx.db, sensorIds),
    abandon: requests.abandon,
    async end(sensorId, isGone) {
      acks.forget(sensorId);
      // What was looked up for the former owner must not be published after it was taken back.
      await desiredLine.idle(sensorId);
      await gateway.clear(sensorId, "desired");
      if (isGone) await provisioner?.revoke(sensorId);
      await gateway.disconnect(sensorId, isGone ? reasons.notAuthorized : reasons.administrativeAction);
      await presence.drop(sensorId);
    },
    onError: complain,
  });

  async function missed() {
    const since = new Date(ctx.clock.now() - longestGapMs);
    const gone = await findDeletedSince(ctx.db, since);
    await cutOff.end(gone.filter((sensorId) => gateway.isConnected(sensorId) !== false));
    const connected = (await findConnected(ctx.db)).map((row) => row.id);
    desiredLine.add(connected);
    await tellRenewals(connected);
  }

  const desiredLine = createDesiredLine(publishDesired, {
    partSize: desiredAtOnce,
    atOnce: desiredPartsAtOnce,
    onError: complain,
    mayPass: (error) => isDatabaseAway(error) || isDeadlock(error),
  });
  const unsubscribe = [
    ctx.bus.on("desiredChanged", ({ sensorIds }) => desiredLine.add(sensorIds)),
    ctx.bus.on("sensorsDropped", ({ sensorIds }) => void cutOff.end(sensorIds)),
  ];

  handleDeviceMessages(ctx, gateway, {
    presence,
    changes,
    recorder,
    acks,
    births,
    words,
    onHeldPassword: (sensorId, orderId) =>
      provisioner ? changeOutside(ctx, provisioner, sensorId, orderId).catch(complain) : Promise.resolve(),
  });
  presence.restore(await findConnected(ctx.db), options.graceMs ?? defaultGraceMs);
  if (options.http) embedded?.attach(options.http);
  try {
    await gateway.start(createSecretCheck(ctx, (proved) => endOldSecrets(ctx, proved)));
  } catch (error) {
    await broker.stop();
    throw error;
  }

  const tick = async () => {
    acks.tick();
    await presence.tick();
  };
  const timers = [setInterval(() => void presence.tick(), tickMs), setInterval(() => acks.tick(), ackTickMs)];

  return {
    port: embedded?.port() ?? null,
    ask,
    async tell(sensorId, func, data, timeoutMs) {
      await requireConnected(sensorId);
      await requests.tell(sensorId, func, data, timeoutMs);
    },
    tick,
    missed,
    async stop() {
      for (const off of unsubscribe) off();
      for (const timer of timers) clearInterval(timer);
      cutOff.stop();
      requests.stop();
      // What is being stored is committed and acknowledged before the connections end; devices keep the rest.
      await desiredLine.stop();
      await Promise.all([recorder.stop(), changes.stop("all"), births.stop("current")]);
      await words.stop();
      acks.tick();
      await gateway.stop();
      await provisioner?.stop();
    },
  };
}
