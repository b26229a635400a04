// Hashes passwords at production cost, for tests of that cost.
import type { World } from "./world.ts";

export async function atFullCost<T>({ ctx: { config } }: World, work: () => Promise<T>): Promise<T> {
  config.testHashing = false;
  return work().finally(() => (config.testHashing = true));
}
