// Handles inbound device messages by kind (docs/device-protocol.md#3-the-connection).
import { liveReportSchema } from "@psp/contract/device/live-level.ts";
import {
  recordBatchSchema,
  birthSchema,
  type DeviceCommand,
  type ReportedState,
  reportedStateSchema,
  deviceStateSchema,
} from "@psp/contract/device/device-messages.ts";
import type { UpKind } from "@psp/contract/device/device-topics.ts";
import type { Context } from "../context.ts";
import { createGroupCommit, type GroupCommit } from "../db/group-commit.ts";
import type { Gateway } from "../mqtt/gateway.ts";
import type { RunningCapability } from "./capability.ts";
import type { AckScheduler, BufferStart } from "./record/acks.ts";
import type { ClockTracker } from "./clock/clocks.ts";
import type { TakeoverTracker } from "./identity/takeovers.ts";
import type { Presence } from "./presence/presence.ts";
import type { PresenceChange } from "./presence/presence.store.ts";
import { parseRanges } from "./record/received.ts";
import type { Recorder } from "./record/records.ts";
import { saveBirths } from "./record/records.store.ts";

const commandExpiryS = 300;
const maxInfo = 16_384;

export type GatewayServices = {
  presence: Presence;
  changes: GroupCommit<PresenceChange>;
  recorder: Recorder;
  acks: AckScheduler;
  births: GroupCommit<Born>;
  clocks: ClockTracker;
  takeovers: TakeoverTracker;
  capabilities: readonly RunningCapability[];
  /** Whether this gateway checks the sensor, where several share an external broker. */
  isMine(sensorId: string): boolean;
  /** The device reports that it has stored the new password of an order and waits to use it. */
  onHeldPassword(sensorId: string, orderId: string): Promise<void>;
};

/** `sid` is null with the embedded broker, where births arrive in order. */
type Born = BufferStart & { sid: string | null; stored: (isAccepted: boolean) => void };

/** Stores and acknowledges births in batches. `welcome` then sends new passwords and desired states. */
export function createBirthQueue(
  ctx: Context,
  acks: AckScheduler,
  welcome: (sensorIds: readonly string[]) => Promise<void>,
): GroupCommit<Born> {
  return createGroupCommit<Born>({
    name: "births",
    log: ctx.log,
    gatherMs: 100,
    maxWeight: 500,
    async run(items) {
      const keyOf = (sensorId: string, ep: string, sid: string | null) => JSON.stringify([sensorId, ep, sid]);
      const newest = new Map(items.map((item) => [keyOf(item.sensorId, item.ep, item.sid), item]));
      const rows = await ctx.db.transaction().execute((tx) => saveBirths(tx, ctx.clock.date(), [...newest.values()]));
      const accepted = new Map(rows.map((row) => [keyOf(row.sensor_id, row.epoch, row.sid), row]));
      for (const [key, { generation, stored }] of accepted) {
        const born = newest.get(key);
        if (born) acks.note({ ...born, generation, ranges: parseRanges(stored), isBirthAwaited: false });
      }
      for (const { sensorId, ep, sid, stored } of items) stored(accepted.has(keyOf(sensorId, ep, sid)));
      await welcome([...new Set(items.map(({ sensorId }) => sensorId))]);
    },
  });
}

export function sendCommand(gateway: Gateway, sensorId: string, command: DeviceCommand): Promise<void> {
  return gateway.publish(sensorId, "cmd", command, { qos: 1, expiryS: commandExpiryS });
}

export function registerDeviceHandlers(ctx: Context, gateway: Gateway, parts: GatewayServices): void {
  const { presence, changes, recorder, acks, births, clocks, takeovers, capabilities } = parts;
  const mayKeep = createUnreadableBudget(ctx.clock.now);
  // Only messages from an external broker can overtake each other.
  const isShared = ctx.config.mqtt.url !== null;
  const sessionOf = (sid: string | undefined) => (isShared && sid ? { sid } : {});

  gateway.onContact((sensorId, kind) => presence.contact(sensorId, kind === "state"));
  gateway.onDisconnect((sensorId) => presence.lost(sensorId));
  gateway.onTakeover((sensorId, from, to) => takeovers.note(sensorId, from, to));

  gateway.handle("state", deviceStateSchema, async ({ sensorId, isRetained }, state) => {
    if (isRetained && !(parts.isMine(sensorId) && presence.isNews(sensorId, state))) return;
    if (!state.online) return presence.death(sensorId, state);
    const birth = birthSchema.parse(state);
    const buffer = { sensorId, ep: birth.ep, firstQ: birth.seq.first };
    // Called before anything asynchronous, because records that arrive with the birth may be stored before it.
    const stored = acks.born(buffer);
    // A retained birth has waited at the broker, so it says nothing about the clock.
    if (!isRetained) clocks.birth(sensorId, birth);
    // Queued like a batch of records, so that the new numbering begins before records that arrive with the birth. A repeated birth of
    // the same session does not restart the numbering.
    const noted =
      isShared || presence.isNewSession(sensorId, birth.sid)
        ? recorder.add({ ...sessionOf(birth.sid), sensorId, ep: birth.ep, via: "live", recs: [], birth: birth.seq })
        : Promise.resolve();
    await presence.birth(sensorId, birth);
    // Not awaited, so that the callbacks do not delay the acknowledgement of the birth.
    for (const { onBirth } of capabilities) onBirth?.(sensorId);
    void noted
      .then(() => births.add({ ...buffer, sid: isShared ? birth.sid : null, stored }))
      .then(() => stored(false));
  });

  gateway.handle("reported", reportedStateSchema, async ({ sensorId }, reported) => {
    await changes.add(toChange(sensorId, reported));
    for (const { onReported } of capabilities) await onReported?.(sensorId, reported.applied ?? null);
    if (reported.cred !== undefined) await parts.onHeldPassword(sensorId, reported.cred);
  });

  gateway.onUnreadable(async ({ sensorId, kind, reason, excerpt }) => {
    if (!keptKinds.has(kind) || !mayKeep(sensorId)) return;
    await recorder.add({
      sensorId,
      ep: "",
      via: "live",
      recs: [],
      unreadable: { reason: `${kind}: ${reason}`, excerpt },
    });
  });

  for (const kind of ["data", "fill", "health", "event"] as const) {
    const via = kind === "fill" ? "fill" : "live";
    gateway.handle(kind, recordBatchSchema, ({ sensorId }, { sid, ep, sent, recs }) => {
      if (via === "live") clocks.batch(sensorId, sent, recs);
      return recorder.add({ ...sessionOf(sid), sensorId, ep, via, recs });
    });
  }

  gateway.handle("live", liveReportSchema, ({ sensorId }, level) =>
    ctx.bus.send({ name: "liveLevel", event: { sensorId, level } }),
  );

  for (const { kind, schema, handle } of capabilities.flatMap(({ handlers = [] }) => handlers))
    gateway.handle(kind, schema, handle);
}

/** Kinds whose unreadable messages become dead letters, because devices do not send them again. */
const keptKinds: ReadonlySet<UpKind> = new Set(["data", "fill", "health", "event", "state", "reported"]);
const keptPerMinute = 30;

/** Limits the dead letters from unreadable messages per sensor and minute, against hostile devices. */
function createUnreadableBudget(now: () => number): (sensorId: string) => boolean {
  let minute = 0;
  let used = new Map<string, number>();
  return (sensorId) => {
    const current = Math.floor(now() / 60_000);
    if (current !== minute) used = new Map();
    minute = current;
    const n = used.get(sensorId) ?? 0;
    used.set(sensorId, n + 1);
    return n < keptPerMinute;
  };
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks only the shape and the size of reported values, because they are only displayed. */
function toChange(sensorId: string, reported: ReportedState): PresenceChange {
  const { info, psconnect, cred: _cred, ...rest } = reported;
  const plain = info && JSON.stringify(info).length <= maxInfo ? withTrees(info) : undefined;
  const version =
    plain && isTree(plain["software"]) && isTree(plain["software"]["firmware"])
      ? plain["software"]["firmware"]["version"]
      : undefined;
  const changedAt = psconnect?.statusChangedAt;
  const statusChangedAt = changedAt === undefined ? null : new Date(changedAt).toISOString();
  const kept =
    JSON.stringify(rest).length <= maxInfo ? rest : { rev: rest.rev, applied: rest.applied, error: rest.error };
  return {
    sensorId,
    reported: kept,
    ...(plain ? { info: plain } : {}),
    ...(typeof version === "string" && version.length > 0 && version.length <= 64 ? { version } : {}),
    ...(psconnect ? { psconnect: { connectionStatus: psconnect.connectionStatus, statusChangedAt } } : {}),
  };
}

/** Drops `software` and `software.firmware` if they are not objects, because a version is merged into them. */
function withTrees(info: Tree): Tree {
  const { software, ...others } = info;
  if (!isTree(software)) return others;
  const { firmware, ...programs } = software;
  return { ...others, software: { ...programs, ...(isTree(firmware) ? { firmware } : {}) } };
}
