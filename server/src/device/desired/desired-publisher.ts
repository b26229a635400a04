// Publishes desired states to the sensors of this gateway.
import type { Context } from "../../context.ts";
import { isDatabaseUnavailable, isDeadlock } from "../../db/database.ts";
import type { Gateway } from "../../mqtt/gateway.ts";
import type { Capability } from "../capability.ts";
import { findConnectionsElsewhere } from "../gateways/gateways.store.ts";
import type { GatewayLease } from "../gateways/lease.ts";
import { computeDesiredStates, createDesiredQueue } from "./desired.ts";

const chunkSize = 500;
/** Limits the database connections that a large batch uses. */
const concurrency = 2;

type Options = {
  gateway: Gateway;
  gatewayId: string;
  isExternal: boolean;
  lease: GatewayLease;
  capabilities: readonly Capability[];
  baseUrl: () => string;
  onError: (error: unknown) => void;
};

export function createDesiredPublisher(ctx: Context, options: Options) {
  const { gateway, gatewayId, isExternal, lease, capabilities, baseUrl, onError } = options;
  const queue = createDesiredQueue(
    async (sensorIds) => {
      for (const [sensorId, state] of await computeDesiredStates(ctx, capabilities, baseUrl(), sensorIds))
        await gateway.publish(sensorId, "desired", state, { qos: 1, retain: true }).catch(onError);
    },
    { chunkSize, concurrency, onError, isTransient: (error) => isDatabaseUnavailable(error) || isDeadlock(error) },
  );

  async function findOwn(sensorIds: readonly string[]): Promise<readonly string[]> {
    if (!lease.hasOthers()) return sensorIds;
    if (isExternal) return sensorIds.filter(lease.isResponsible);
    const elsewhere = new Set((await findConnectionsElsewhere(ctx.db, gatewayId, sensorIds)).map(({ id }) => id));
    return sensorIds.filter((id) => !elsewhere.has(id));
  }

  return {
    ...queue,
    /** All gateways learn of a change; one of them publishes the new state. */
    onChanged(sensorIds: readonly string[]): void {
      findOwn(sensorIds).then(queue.add, (error: unknown) => {
        onError(error);
        queue.add(sensorIds);
      });
    },
  };
}
