// Part of the crash campaign: replaces sensors at a location and undoes that. After a kill, either both sensors have changed or none.
// Each call is repeated with its key until it gets a response.
import { type Api, type Product, signIn } from "../product.ts";

const writers = 2;
const group = "swapped";

type Shown = { measurement: { _id: string } | null; groups: string[]; replacedBy: { _id: string } | null };
type Pair = { place: string; ids: [string, string] };

export type ReplacementFindings = { replacements: number; undone: number; lost: number; wrong: number };
export type ReplacementWriters = { writers: Promise<void>[]; verify(): Promise<ReplacementFindings> };

export async function startReplacementWriters(
  product: Product,
  owner: string,
  random: () => number,
  stopped: () => boolean,
): Promise<ReplacementWriters> {
  const first = await signIn(product.url);
  const pairs: Pair[] = [];
  for (let writer = 0; writer < writers; writer += 1) pairs.push(await createPair(first, owner, writer));
  const found: ReplacementFindings = { replacements: 0, undone: 0, lost: 0, wrong: 0 };
  const holders = pairs.map(({ ids }) => ids[0]);

  async function run(pair: Pair, writer: number): Promise<void> {
    let api: Api | null = null;
    const insist = async <T>(path: string, body: unknown, key: string): Promise<T> => {
      for (;;) {
        try {
          api ??= await signIn(product.url);
          if (await isTorn(api, pair)) found.wrong += 1;
          return await api.call<T>("POST", path, body, { "idempotency-key": key });
        } catch (error) {
          // Server errors, conflicts, rate limits and broken connections are temporary. Other errors are findings.
          if (/ → 4(?!09|29)/.test(String(error))) throw error;
          await pause(30);
        }
      }
    };
    for (let n = 1; !stopped(); n += 1) {
      const [old, next] = holders[writer] === pair.ids[0] ? pair.ids : (pair.ids.toReversed() as Pair["ids"]);
      const path = `/api/sensor/${old}/replace`;
      const body = { sensorID: next, accept: ["replacedBefore"] };
      const { replacement } = await insist<{ replacement: string }>(path, body, `swap ${writer} ${n}`);
      found.replacements += 1;
      holders[writer] = next;
      if (random() < 0.4 && (await undo(insist, path, replacement, `undo ${writer} ${n}`))) {
        found.undone += 1;
        holders[writer] = old;
      }
      // The calls are limited per minute.
      await pause(1500);
    }
  }

  return {
    writers: pairs.map((pair, writer) =>
      run(pair, writer).catch((error: unknown) => {
        process.stderr.write(`replacements: ${String(error)}\n`);
        found.wrong += 1;
      }),
    ),
    async verify() {
      const api = await signIn(product.url);
      for (const [writer, pair] of pairs.entries()) {
        const holder = await api.call<Shown>("GET", `/api/sensor/${holders[writer] ?? ""}`);
        if (holder.measurement?._id !== pair.place) found.lost += 1;
        if (await isTorn(api, pair)) found.wrong += 1;
      }
      return found;
    },
  };
}

/** False if the replacement was too long ago, because the server was down meanwhile. */
async function undo(
  insist: (path: string, body: unknown, key: string) => Promise<unknown>,
  path: string,
  replacement: string,
  key: string,
): Promise<boolean> {
  try {
    await insist(`${path}/undo`, { replacement }, key);
    return true;
  } catch (error) {
    if (/ → 404/.test(String(error))) return false;
    throw error;
  }
}

async function createPair(api: Api, owner: string, writer: number): Promise<Pair> {
  const { _id: place } = await api.call<{ _id: string }>("POST", "/api/measurement", { name: `swap ${writer}`, owner });
  const ids: Pair["ids"] = [`0A:00:00:01:0${writer}:01`, `0A:00:00:01:0${writer}:02`];
  for (const _id of ids) await api.call("POST", "/api/sensor", { _id, owner, type: "APS" });
  await api.call("PUT", `/api/sensor/${ids[0]}`, { measID: place, groups: [group] });
  return { place, ids };
}

/** False if exactly one sensor has everything that a replacement moves, and the other one nothing. */
async function isTorn(api: Api, { place, ids }: Pair): Promise<boolean> {
  const { objects } = await api.call<{ objects: Shown[] }>(
    "GET",
    `/api/v2/sensor?${ids.map((id) => `ids=${encodeURIComponent(id)}`).join("&")}`,
  );
  const has = ({ measurement, groups, replacedBy }: Shown) =>
    measurement?._id === place && groups.includes(group) && replacedBy === null;
  const hasNot = ({ measurement, groups }: Shown) => measurement === null && groups.length === 0;
  return objects.length !== 2 || objects.filter(has).length !== 1 || objects.filter(hasNot).length !== 1;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
