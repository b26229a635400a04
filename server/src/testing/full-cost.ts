// Hashing as dear as in production, for the few tests whose subject is what it costs.
import type { World } from "./world.ts";

/** Hashing costs what it costs in production until `work` is done. */
export async function atFullCost<T>({ ctx: { config } }: World, work: () => Promise<T>): Promise<T> {
  config.testHashing = false;
  return work().finally(() => (config.testHashing = true));
}
