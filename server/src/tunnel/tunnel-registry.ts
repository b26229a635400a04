// Synchronizes the database with the tunnels of this process: displayed state, invalidated credentials, crashed processes.
import { randomUUID } from "node:crypto";
import type { Context } from "../context.ts";
import { entityUpdated } from "../kit/bus.ts";
import { createGroupCommit } from "../db/group-commit.ts";
import { type Announce, announcing } from "../db/write.ts";
import * as store from "./tunnel.store.ts";

/** `isStored`: the database knew it as the sensor's newest one. */
type Booked = { id: string; sensorId: string; hash: Buffer; isReady: boolean; isStored: boolean };
type Entry = { tunnelId: string; sensorId: string; isOpen: boolean };

const gatherMs = 50;
const maxAtOnce = 500;
/** A process without a heartbeat for this long is dead. */
const silentS = 30;

/** `open` returns the tunnels of this process; `onVoid` gets the sensors whose tunnels must end, `onReplaced` those that opened newer ones. */
export function createTunnelRegistry(
  ctx: Context,
  {
    open,
    onVoid,
    onReplaced,
    everyMs,
    url,
  }: {
    open: () => Booked[];
    onVoid: (sensorIds: readonly string[]) => void;
    onReplaced: (tunnelIds: ReadonlySet<string>) => void;
    everyMs: number;
    url: string | null;
  },
) {
  const host = randomUUID();
  let stopped = false;
  let beating: Promise<void> | null = null;

  const entries = createGroupCommit<Entry>({
    name: "tunnels",
    log: ctx.log,
    gatherMs,
    maxWeight: maxAtOnce,
    run: async (items) => {
      const last = new Map(items.filter((item) => item.isOpen).map((item) => [item.sensorId, item]));
      const closed = items.filter((item) => !item.isOpen).map((item) => item.tunnelId);
      const opened = [...last.values()].filter((item) => !closed.includes(item.tunnelId));
      const at = ctx.clock.date();
      const living = await announcing(ctx, async (tx, announce) => {
        const alive = await store.lockUndeletedSensors(
          tx,
          items.map((item) => item.sensorId),
        );
        const held = opened.filter((item) => alive.has(item.sensorId));
        const shown = held.length === 0 ? [] : await store.saveOpenedTunnels(tx, host, at, held);
        const gone = closed.length === 0 ? [] : await store.saveClosedTunnels(tx, at, closed);
        announceSensors(announce, [...shown, ...gone]);
        return alive;
      });
      const stored = new Set(opened.map((item) => item.tunnelId));
      for (const tunnel of open()) if (stored.has(tunnel.id)) tunnel.isStored = true;
      // Nothing else would end the tunnels of sensors that were deleted since the check of their credential.
      onVoid(opened.map((item) => item.sensorId).filter((id) => !living.has(id)));
    },
  });

  function note(tunnel: Booked, isOpen: boolean) {
    void entries.add({ tunnelId: tunnel.id, sensorId: tunnel.sensorId, isOpen });
  }

  async function beat() {
    const wasKnown = await store.recordHeartbeat(ctx.db, host, url);
    // The message about a newer tunnel may have been lost.
    const stored = open().filter((tunnel) => tunnel.isStored);
    if (stored.length > 0) onReplaced(await store.findReplacedTunnels(ctx.db, stored));
    // Other processes had declared this one dead and dropped its tunnels, so they are stored again.
    if (!wasKnown) for (const tunnel of open()) if (tunnel.isReady) note(tunnel, true);
    await announcing(ctx, async (tx, announce) => {
      const ids = await store.deleteDeadHosts(tx, silentS);
      if (ids.length > 0) announceSensors(announce, await store.saveClosedTunnels(tx, ctx.clock.date(), ids));
    });
    const held = open();
    if (held.length > 0) onVoid(await store.findSensorsWithInvalidCredentials(ctx.db, ctx.clock.date(), held));
  }

  const tick = () => {
    beating ??= beat()
      .catch((error: unknown) => ctx.log.warn({ err: error }, "the tunnels could not be looked after"))
      .finally(() => void (beating = null));
  };
  const timer = setInterval(tick, everyMs).unref();
  tick();

  return {
    opened(tunnel: Booked) {
      note(tunnel, true);
      ctx.bus.send({ name: "tunnelOpened", event: { sensorId: tunnel.sensorId, tunnelId: tunnel.id } });
    },
    closed: (tunnel: Booked) => note(tunnel, false),
    get stopped() {
      return stopped;
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await beating;
      await entries.stop("all");
      await store.deleteHost(ctx.db, host).catch(() => undefined);
    },
  };
}

function announceSensors(announce: Announce, changed: readonly { id: string; owner_id: string }[]): void {
  for (const [id, owner] of new Map(changed.map((one) => [one.id, one.owner_id])))
    announce(entityUpdated("sensor", id, owner));
}
