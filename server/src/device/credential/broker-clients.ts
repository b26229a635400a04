// Removes devices from an external broker that the database does not know, such as sensors deleted while no gateway ran.
import { formatMac } from "@psp/contract/kit/mac.ts";
import type { Context } from "../../context.ts";
import type { Provisioner } from "../../mqtt/dynamic-security.ts";
import { findUndeletedSensors } from "../presence/presence.store.ts";
import { changeBrokerClient, revokeIfDeleted } from "./provisioning.ts";

const chunkSize = 1_000;

/** Returns a function that compares all clients of the broker with the database; concurrent calls share one run. */
export function createBrokerCleanup(ctx: Context, provisioner: Provisioner | null): () => Promise<void> {
  let running: Promise<void> | null = null;

  /** One at a time, because Mosquitto writes its whole file for each. */
  async function clean(broker: Provisioner): Promise<void> {
    const ids = (await broker.list()).map(formatMac);
    let revoked = 0;
    for (let from = 0; from < ids.length; from += chunkSize) {
      const part = ids.slice(from, from + chunkSize);
      const undeleted = await findUndeletedSensors(ctx.db, part);
      for (const id of part.filter((one) => !undeleted.has(one)))
        if (await changeBrokerClient(ctx, "cleanup", id, ({ tx }) => revokeIfDeleted(tx, broker, id))) revoked += 1;
    }
    if (revoked > 0) ctx.log.warn({ revoked }, "the outside broker knew devices that do not exist");
  }

  return async () => {
    if (!provisioner) return;
    running ??= clean(provisioner)
      .catch((error: unknown) => ctx.log.warn({ err: error }, "the outside broker's devices were not compared"))
      .finally(() => (running = null));
    await running;
  };
}
