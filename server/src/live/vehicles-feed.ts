// Sends new levels of vehicles to clients that show vehicles. Merges all changes of a vehicle within a short time into one message;
// these messages are not replayed (docs/rules/live-channel.md#vehicles).
import type { VehicleMessage } from "@psp/contract/live/live-message.ts";
import { canView } from "@psp/contract/permission/can.ts";
import type { Owner } from "@psp/contract/permission/scope.ts";
import type { Context } from "../context.ts";
import type { BusEvents } from "../kit/bus.ts";
import { openFrame } from "./cursor.ts";
import type { LiveClient } from "./hub.ts";
import { repeatWhileUnavailable } from "./repeat.ts";

export type ChangedVehicle = { owner: Owner } & Pick<VehicleMessage, "op" | "obj">;
export type CoachChanges = {
  /** Changed sensors, and whether they moved to another vehicle. */
  sensors: ReadonlyMap<string, boolean>;
  /** Vehicles in which moved sensors were before. */
  left: readonly Left[];
};
type Left = NonNullable<BusEvents["coachesChanged"]["left"]>;
export type LoadChangedVehicles = (changes: CoachChanges) => Promise<ChangedVehicle[]>;

const batchMs = 250;

type FeedParts = {
  load: LoadChangedVehicles;
  /** Completes a frame from `openFrame` with the client's cursor and sends it. Returns false if the client reads too slowly. */
  sendUnnumbered(client: LiveClient, frame: string): boolean;
  /** Reloads the rights of these clients; disconnects those whose session has ended. */
  refresh(receivers: LiveClient[]): Promise<void>;
  stopping: AbortSignal;
};

export function createVehiclesFeed(
  ctx: Pick<Context, "log" | "metrics">,
  { load, sendUnnumbered, refresh, stopping }: FeedParts,
) {
  const watching = new Set<LiveClient>();
  let pending = { sensors: new Map<string, boolean>(), left: [] as Left[] };
  let timer: NodeJS.Timeout | null = null;
  let delivering: Promise<void> | null = null;

  function plan(): void {
    // While a batch is delivered, changes are merged into the next one.
    if (delivering === null) timer ??= setTimeout(flush, batchMs);
  }

  function flush(): void {
    timer = null;
    const batch = pending;
    pending = { sensors: new Map(), left: [] };
    delivering = repeatWhileUnavailable(() => deliver(batch), stopping)
      .catch((error: unknown) => {
        ctx.log.error({ err: error }, "levels of vehicles were not announced");
        for (const client of watching) sendUnnumbered(client, openFrame({ type: "resync" }));
      })
      .finally(() => {
        delivering = null;
        if (pending.sensors.size > 0) plan();
      });
  }

  async function deliver(batch: CoachChanges): Promise<void> {
    if (watching.size === 0) return;
    const vehicles = await load(batch);
    await refresh([...watching]);
    for (const { owner, op, obj } of vehicles) {
      const frame = openFrame({ type: "vehicle", op, obj });
      for (const client of watching)
        if (canView(client.actor, "sensor", owner))
          (sendUnnumbered(client, frame) ? ctx.metrics.liveSent : ctx.metrics.liveDropped).inc();
    }
  }

  return {
    changed({ sensorIds, moved, left }: BusEvents["coachesChanged"]): void {
      if (watching.size === 0) return;
      const { sensors } = pending;
      for (const id of sensorIds) sensors.set(id, moved || (sensors.get(id) ?? false));
      if (left) pending.left.push(left);
      plan();
    },
    /** Call it when `client.watch` has changed. */
    follow(client: LiveClient): void {
      if (client.watch?.vehicles) watching.add(client);
      else watching.delete(client);
    },
    leave: (client: LiveClient) => void watching.delete(client),
    async stop(): Promise<void> {
      if (timer) clearTimeout(timer);
      timer = null;
      pending = { sensors: new Map(), left: [] };
      await delivering;
    },
  };
}
