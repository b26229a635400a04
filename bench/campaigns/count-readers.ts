// Reads the counts of devices while faults strike. A standby may answer, but never without what was acknowledged before the call.
import { type Api, type Product, signIn } from "../product.ts";
import { countOf, type Device, firstStart } from "./crash-writers.ts";

export type ReadTally = { reads: number; stale: number };

const pauseMs = 300;
const range = `from=${new Date(firstStart).toISOString()}&to=${new Date(firstStart + 4 * 366 * 86_400_000).toISOString()}`;

/** Reads the devices in turn until `stopped`. Calls that fail do not count. */
export async function readCounts(
  product: Pick<Product, "url">,
  devices: readonly Device[],
  stopped: () => boolean,
  tally: ReadTally,
): Promise<void> {
  const sums = devices.map((_, index) => createRunningSum(index));
  let api: Api | null = null;
  for (let turn = 0; !stopped(); turn += 1) {
    const index = turn % devices.length;
    const device = devices[index] as Device;
    const expected = sums[index]?.(device.acked) ?? 0;
    try {
      api ??= await signIn(product.url);
      const years = await api.call<{ data: { in: number } }[]>(
        "GET",
        `/data/v2/aggregate/json?filter=sens:${device.id}:counting&acc=year&${range}`,
      );
      tally.reads += 1;
      if (years.reduce((sum, { data }) => sum + data.in, 0) < expected) tally.stale += 1;
    } catch {
      // No process answers, or the session is lost. The next turn signs in again.
      api = null;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** People in the first `n` records of a device; `n` never falls. */
function createRunningSum(index: number): (n: number) => number {
  let [last, sum] = [0, 0];
  return (n) => {
    while (last < n) sum += countOf(index, (last += 1)).in;
    return sum;
  };
}
