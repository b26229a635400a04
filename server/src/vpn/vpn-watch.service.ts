// Synchronizes sensors with the VPN servers: admits requested ones, disconnects withdrawn ones, and stores who is connected (ADR 0026).
import { randomUUID } from "node:crypto";
import { wireId } from "@psp/contract/kit/ids.ts";
import { parseMac } from "@psp/contract/kit/mac.ts";
import type { VpnServerConfig } from "@psp/contract/vpn/vpn-servers.ts";
import type { Context } from "../context.ts";
import { entityUpdated } from "../kit/bus.ts";
import { createGroupCommit } from "../db/group-commit.ts";
import { announcing } from "../db/write.ts";
import { lockSensorRows } from "../db/locks.ts";
import { openVpnServer, type VpnClient, type VpnServer, vpnServerTiming } from "./vpn-server.adapter.ts";
import * as store from "./vpn.store.ts";

export const vpnWatchTiming = {
  ...vpnServerTiming,
  /** Interval at which this process renews its hold on a server. A hold is valid for `holdS`. */
  holdEveryMs: 5_000,
  holdS: 15,
  /** After a server has been unreachable for this long, no one is shown as connected to it. */
  lostMs: 60_000,
};
type VpnWatchTiming = typeof vpnWatchTiming;

const gatherMs = 50;
const maxAtOnce = 500;

/** Returns the sensor whose key is this common name; null for other names. */
const sensorOf = (name: string) => (/^[0-9a-f]{12}$/.test(name) ? parseMac(name) : null);

/** Watches all configured servers; only one process connects to each. */
export function watchVpnServers(ctx: Context, timing: VpnWatchTiming = vpnWatchTiming) {
  const watches = ctx.config.vpnServers.map((server) => watchServer(ctx, server, timing));
  const unsubscribe =
    watches.length === 0
      ? []
      : [
          ctx.bus.on("desiredChanged", ({ sensorIds }) => watches.forEach((one) => one.recheck(sensorIds))),
          // The connections belong to the former owner and must end.
          ctx.bus.on("sensorsDropped", ({ sensorIds }) => watches.forEach((one) => one.end(sensorIds))),
        ];
  return {
    async stop() {
      for (const off of unsubscribe) off();
      await Promise.all(watches.map((one) => one.stop()));
    },
  };
}

/** A report: one sensor that connected or disconnected, or a complete list. The order of reports matters. */
type Item = { fact: store.VpnReport } | { all: store.VpnReport[] };

function watchServer(ctx: Context, { id: serverId, management }: VpnServerConfig, timing: VpnWatchTiming) {
  let server: VpnServer | null = null;
  let lost: NodeJS.Timeout | null = null;
  let reason = "";

  const notes = createReportWriter(ctx, serverId, (sensorId) => server?.kill(wireId(sensorId)));

  function factOf({ name, since, publicAddress, vpnAddress }: VpnClient): store.VpnReport | null {
    const sensorId = sensorOf(name);
    return sensorId === null
      ? null
      : { sensorId, since: new Date(since ?? ctx.clock.now()), publicAddress, vpnAddress };
  }

  const startLosing = () => {
    lost ??= setTimeout(() => {
      lost = null;
      ctx.log.warn({ vpnServer: serverId, reason }, "a VPN server is not reachable");
      notes.lost();
    }, timing.lostMs).unref();
  };
  const stopLosing = () => {
    if (lost) clearTimeout(lost);
    lost = null;
  };

  function open() {
    startLosing();
    server = openVpnServer(management, timing, {
      async mayConnect(name) {
        const sensorId = sensorOf(name);
        return (
          sensorId !== null && (await store.findActiveRequests(ctx.db, ctx.clock.date(), [sensorId])).has(sensorId)
        );
      },
      onList(clients) {
        notes.list(clients.flatMap((client) => factOf(client) ?? []));
        for (const { name } of clients) if (sensorOf(name) === null) server?.kill(name);
      },
      onConnected(client) {
        const fact = factOf(client);
        if (fact) notes.one(fact);
        else server?.kill(client.name);
      },
      onDisconnected(name) {
        const sensorId = sensorOf(name);
        if (sensorId) notes.one({ sensorId, since: null, publicAddress: null, vpnAddress: null });
      },
      onReachable(isReachable, why) {
        reason = why;
        if (isReachable) {
          stopLosing();
          ctx.log.info({ vpnServer: serverId }, "a VPN server is reachable");
        } else {
          // This server or the VPN server may be starting; warns only if it stays unreachable.
          startLosing();
          ctx.log.info({ vpnServer: serverId, reason }, "a VPN server is away");
        }
      },
      onComplaint: (text) => ctx.log.warn({ vpnServer: serverId, says: text }, "a VPN server complains"),
    });
  }
  function close() {
    stopLosing();
    server?.stop();
    server = null;
  }

  const hold = keepServerHold(ctx, serverId, timing, { isOpen: () => server !== null, open, close });

  const connected = (sensorIds: readonly string[]) => sensorIds.filter((id) => server?.isConnected(wireId(id)));
  const end = (sensorIds: readonly string[]) => {
    for (const id of connected(sensorIds)) server?.kill(wireId(id));
  };

  return {
    end,
    /** Disconnects those sensors that have no active request. */
    recheck(sensorIds: readonly string[]) {
      const here = connected(sensorIds);
      if (here.length === 0) return;
      store.findActiveRequests(ctx.db, ctx.clock.date(), here).then(
        (wanted) => end(here.filter((id) => !wanted.has(id))),
        // Not retried, because the VPN server's next list is checked, too.
        (error: unknown) => ctx.log.warn({ err: error, vpnServer: serverId }, "VPN requests were not looked at"),
      );
    },
    async stop() {
      await hold.stop();
      close();
      await notes.stop();
      await hold.release();
    },
  };
}

/** Writes the server's reports in batches; `endUnwanted` disconnects sensors without a request. */
function createReportWriter(ctx: Context, serverId: string, endUnwanted: (sensorId: string) => void) {
  const notes = createGroupCommit<Item>({
    name: "vpn",
    log: ctx.log,
    gatherMs,
    maxWeight: maxAtOnce,
    weigh: (item) => ("all" in item ? item.all.length : 1),
    async run(items) {
      for (const sensorId of await writeReports(ctx, serverId, items)) endUnwanted(sensorId);
    },
  });

  /** Resolves when the last list is written; null if none is waiting. */
  let listed: Promise<void> | null = null;
  /** Skips a list while an earlier one waits to be written, because all changes since then are queued behind the earlier list. */
  function list(all: store.VpnReport[]) {
    if (listed) return;
    const written = notes.add({ all }).then(() => {
      if (listed === written) listed = null;
    });
    listed = written;
  }

  return {
    one: (fact: store.VpnReport) => void notes.add({ fact }),
    list,
    lost() {
      listed = null;
      void notes.add({ all: [] });
    },
    stop: () => notes.stop("all"),
  };
}

type Connection = { isOpen(): boolean; open(): void; close(): void };

/** Renews this process's hold on the server, and keeps the connection open while the hold is valid. */
function keepServerHold(ctx: Context, serverId: string, timing: VpnWatchTiming, connection: Connection) {
  const holder = randomUUID();
  let beating: Promise<void> | null = null;
  let heldUntil = 0;
  const beat = () => {
    // Measured before the query, so that this process gives up the hold before it expires in the database.
    const until = performance.now() + timing.holdS * 1000;
    beating ??= store
      .holdServer(ctx.db, serverId, holder, timing.holdS)
      .then((isHeld) => {
        if (isHeld) heldUntil = until;
        if (isHeld && !connection.isOpen()) connection.open();
        else if (!isHeld && connection.isOpen()) connection.close();
      })
      .catch((error: unknown) => ctx.log.warn({ err: error, vpnServer: serverId }, "a VPN server could not be held"))
      .finally(() => void (beating = null));
    // If this process can't reach the database, another one takes over. The server accepts only one connection, so this one closes.
    if (connection.isOpen() && performance.now() > heldUntil) connection.close();
  };
  const timer = setInterval(beat, timing.holdEveryMs).unref();
  beat();

  return {
    async stop() {
      clearInterval(timer);
      await beating;
    },
    /** Lets another process take over at once. */
    release: () => store.releaseServer(ctx.db, serverId, holder).catch(() => undefined),
  };
}

/** Writes the latest report per sensor, and announces visible changes. Returns connected sensors without a request. */
async function writeReports(ctx: Context, serverId: string, items: readonly Item[]) {
  const latest = new Map<string, store.VpnReport>();
  let isAll = false;
  for (const item of items) {
    if ("fact" in item) latest.set(item.fact.sensorId, item.fact);
    else {
      isAll = true;
      latest.clear();
      for (const fact of item.all) latest.set(fact.sensorId, fact);
    }
  }
  return announcing(ctx, async (tx, announce) => {
    const others = isAll ? await store.findOtherConnectedSensors(tx, serverId, [...latest.keys()]) : [];
    const came = [...latest.values()].filter(({ since }) => since !== null);
    // Most of a list is unchanged, and presence writes these rows often, so unchanged ones are not locked.
    const news = await store.findChangedReports(tx, serverId, came);
    const gone = [...latest.values()].filter(({ since }) => since === null).map(({ sensorId }) => sensorId);
    const at = ctx.clock.date();
    await lockSensorRows(tx, [...news.map(({ sensorId }) => sensorId), ...gone, ...others]);
    const changed = [
      ...(await store.saveConnected(tx, serverId, news)),
      ...(await store.saveDisconnected(tx, serverId, at, [...gone, ...others])),
    ];
    for (const { id, owner_id } of changed) announce(entityUpdated("sensor", id, owner_id));
    const here = came.map(({ sensorId }) => sensorId);
    const wanted = await store.findActiveRequests(tx, at, here);
    return here.filter((id) => !wanted.has(id));
  });
}
