// What an inbound device message does, kind by kind, and what the device is told in return (device-protocol 4.3).
import {
  batchSchema,
  birthSchema,
  type DeviceCommand,
  jobSchema,
  liveSchema,
  type Reported,
  reportedSchema,
  stateSchema,
} from "@psp/contract/sensor/sensor.device.ts";
import type { Context } from "../context.ts";
import type { Batcher } from "../mqtt/batcher.ts";
import type { Gateway } from "../mqtt/gateway.ts";
import type { Acks } from "./sensor.acks.ts";
import type { Presence } from "./sensor.presence.ts";
import type { PresenceChange } from "./sensor.presence.store.ts";
import { type Recorder, toEnvelope } from "./sensor.records.ts";

/** Commands are worthless after this (device-protocol 4.3). */
const commandExpiryS = 300;
/** JSON of `info` beyond this is nonsense. */
const longestInfo = 16_384;
const mostJobs = 20_000;

export type DeviceParts = {
  presence: Presence;
  changes: Batcher<PresenceChange>;
  recorder: Recorder;
  acks: Acks;
  births: Batcher<{ sensorId: string; ep: string; firstQ: number }>;
};

export function sendCommand(gateway: Gateway, sensorId: string, command: DeviceCommand): Promise<void> {
  return gateway.publish(sensorId, "cmd", command, { qos: 1, expiryS: commandExpiryS });
}

/** Registers every kind with the gateway. */
export function handleDeviceMessages(ctx: Context, gateway: Gateway, parts: DeviceParts): void {
  const { presence, changes, recorder, births } = parts;

  gateway.onContact((sensorId, kind) => presence.contact(sensorId, kind === "state"));
  gateway.onDisconnect((sensorId) => presence.lost(sensorId));

  gateway.handle("state", stateSchema, async ({ sensorId }, state) => {
    if (!state.online) return presence.death(sensorId, state);
    const birth = birthSchema.parse(state);
    await presence.birth(sensorId, birth);
    // Only now is the birth in the database; what the device needs to know follows without holding its acknowledgement.
    void births.add({ sensorId, ep: birth.ep, firstQ: birth.seq.first });
  });

  gateway.handle("reported", reportedSchema, ({ sensorId }, reported) => changes.add(toChange(sensorId, reported)));

  for (const kind of ["data", "fill", "health", "event"] as const) {
    gateway.handle(kind, batchSchema, ({ sensorId, rxAt }, batch) =>
      recorder.add(toEnvelope(sensorId, kind, batch, rxAt)),
    );
  }

  gateway.handle("live", liveSchema, ({ sensorId }, level) =>
    ctx.bus.emit({ name: "liveLevel", event: { sensorId, level } }),
  );

  const jobs = new Map<string, { job: string; n: number }>();
  gateway.handle("job", jobSchema, async ({ sensorId }, { job, n, ok, state }) => {
    const last = jobs.get(sensorId);
    if (last?.job === job && n <= last.n) return;
    const owner = await ctx.db
      .updateTable("sensor")
      .set({ install_state: JSON.stringify({ ok, state }) })
      .where("id", "=", sensorId)
      .where("is_deleted", "=", false)
      .where((eb) => eb(eb.ref("update_task", "->>").key("id"), "=", job))
      .returning("owner_id")
      .executeTakeFirst();
    jobs.delete(sensorId);
    jobs.set(sensorId, { job, n });
    if (jobs.size > mostJobs) jobs.delete(jobs.keys().next().value ?? "");
    if (owner) announce(ctx, sensorId, owner.owner_id);
  });
}

/** Tells the live channel that a sensor looks different now. */
export function announce(ctx: Context, id: string, ownerId: string): void {
  ctx.bus.emit({
    name: "entityChanged",
    event: { type: "sensor", op: "update", id, ownerBefore: ownerId, ownerAfter: ownerId },
  });
}

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a device says of itself is shown to people and never believed further: shape checked, size capped. */
function toChange(sensorId: string, reported: Reported): PresenceChange {
  const { info, psconnect, ...rest } = reported;
  const plain = info && JSON.stringify(info).length <= longestInfo ? withTrees(info) : undefined;
  const version =
    plain && isTree(plain["software"]) && isTree(plain["software"]["firmware"])
      ? plain["software"]["firmware"]["version"]
      : undefined;
  const kept =
    JSON.stringify(rest).length <= longestInfo ? rest : { rev: rest.rev, applied: rest.applied, error: rest.error };
  return {
    sensorId,
    reported: kept,
    ...(plain ? { info: plain } : {}),
    ...(typeof version === "string" && version.length > 0 && version.length <= 64 ? { version } : {}),
    ...(psconnect
      ? {
          psconnect: {
            connectionStatus: psconnect.connectionStatus,
            statusChangedAt: isoOf(psconnect.statusChangedAt),
          },
        }
      : {}),
  };
}

/** `software` and `software.firmware` are objects or absent, so that a version can be set inside. */
function withTrees(info: Tree): Tree {
  const { software, ...others } = info;
  if (!isTree(software)) return others;
  const { firmware, ...programs } = software;
  return { ...others, software: { ...programs, ...(isTree(firmware) ? { firmware } : {}) } };
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
