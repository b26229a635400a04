// Keeps this gateway's lease in the database, and takes over the sensors of gateways that ended theirs.
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import * as store from "./gateways.store.ts";

const renewEveryMs = 5_000;
/** A killed gateway counts as running for this long. */
const leaseMs = 15_000;

type Options = {
  gatewayId: string;
  isExternal: boolean;
  /** Connected sensors whose gateway does not run anymore now belong to this one. */
  onOrphans(sensors: store.OrphanedSensor[]): void;
  /** The lease ended while this process ran, so that another gateway may have taken over its sensors. */
  onLeaseLost(): Promise<void>;
  /** Gateways that ran at the last renewal do not run anymore. */
  onOthersEnded(): void;
};

export type GatewayLease = ReturnType<typeof createGatewayLease>;

export function createGatewayLease(ctx: Context, options: Options) {
  const { gatewayId, isExternal, onOrphans, onLeaseLost, onOthersEnded } = options;
  let living: string[] = [gatewayId];
  let hasFailed = false;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function adopt(isStart: boolean): Promise<void> {
    const orphans = await ctx.db.transaction().execute(async (tx) => {
      const ended = await store.deleteEndedLeases(tx);
      return !isExternal && (isStart || ended > 0) ? store.adoptOrphans(tx, gatewayId) : [];
    });
    if (orphans.length > 0) onOrphans(orphans);
  }

  async function renew(): Promise<void> {
    const now = await store.renewLease(ctx.db, { id: gatewayId, isExternal, leaseMs });
    const hasEnded = living.some((id) => !now.living.includes(id));
    living = now.living;
    if (now.isNew) await onLeaseLost();
    // After an outage of the database all leases have ended. The other gateways renew theirs before any is deleted.
    if (!hasFailed) await adopt(false);
    hasFailed = false;
    if (hasEnded) onOthersEnded();
  }

  function tick(): Promise<void> {
    running ??= renew()
      .catch((error: unknown) => {
        hasFailed = true;
        ctx.log.warn({ err: error }, "the lease of this gateway was not renewed");
      })
      .finally(() => (running = null));
    return running;
  }

  return {
    async start() {
      if (ctx.config.database.url === null) await store.deleteLeases(ctx.db);
      ({ living } = await store.renewLease(ctx.db, { id: gatewayId, isExternal, leaseMs }));
      await adopt(true);
      timer = setInterval(() => void tick(), renewEveryMs);
    },
    /** Renews the lease now. */
    tick,
    hasOthers: () => living.length > 1,
    /**
     * With an external broker, each sensor is checked by one gateway, which all of them choose in the same way. While they disagree,
     * after a start or an end, two may check it.
     */
    isResponsible: (sensorId: string) => living.length === 1 || choose(living, sensorId) === gatewayId,
    /** Returns whether another gateway runs. */
    async end(): Promise<boolean> {
      if (timer) clearInterval(timer);
      await running;
      return store.endLease(ctx.db, gatewayId);
    },
  };
}

/** Rendezvous hashing, as in `findGateway`: a gateway that ends changes only the choice for its own sensors. */
function choose(gatewayIds: readonly string[], sensorId: string): string | undefined {
  const weigh = (id: string) =>
    createHash("md5")
      .update(id + sensorId)
      .digest("hex");
  const [first] = gatewayIds
    .map((id) => ({ id, weight: weigh(id) }))
    .toSorted((a, b) => (a.weight < b.weight ? -1 : 1));
  return first?.id;
}
