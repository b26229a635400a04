// What the gateway keeps of sensors that displays count with: the people since their last record, and when they were not there.
import type { Capability } from "../device/capability.ts";
import type { Context } from "../context.ts";
import { closeOutages, openOutages, type ReportedFlow, saveFlows } from "./ledger/ledger.store.ts";

/** What happened to sensors and was not written down yet; later words about the same thing replace earlier ones. */
type Pending = {
  flows: Map<string, ReportedFlow>;
  born: Set<string>;
  sensorIds: Set<string>;
  locationIds: Set<string>;
};
const nothingPending = (): Pending => ({
  flows: new Map(),
  born: new Set(),
  sensorIds: new Set(),
  locationIds: new Set(),
});

const retryMs = 1000;

function start(ctx: Context) {
  let pending = nothingPending();
  let working: Promise<void> | null = null;
  let retry: NodeJS.Timeout | null = null;
  let stopped = false;

  const off = [
    ctx.bus.on("liveLevel", ({ sensorId, level }) => {
      if (level.t !== "flow") return;
      const sumOf = (way: "in" | "out") => level.lines.reduce((sum, line) => sum + line[way], 0);
      const flow = { sinceMs: level.since, receivedMs: ctx.clock.now(), in: sumOf("in"), out: sumOf("out") };
      note(({ flows }) => flows.set(sensorId, { sensorId, ...flow }));
    }),
    ctx.bus.on("entityChanged", ({ type, op, id }) => {
      if (op === "delete") return;
      if (type === "sensor") note(({ sensorIds }) => sensorIds.add(id));
      else if (type === "measurement") note(({ locationIds }) => locationIds.add(id));
    }),
  ];

  function note(change: (pending: Pending) => void): void {
    change(pending);
    if (!stopped && retry === null) working ??= work().finally(() => (working = null));
  }

  async function work(): Promise<void> {
    // What many sensors say at once is one statement.
    await new Promise((resolve) => setImmediate(resolve));
    while (isAnything(pending)) {
      const batch = pending;
      pending = nothingPending();
      try {
        await writeDown(batch);
      } catch (error) {
        ctx.log.warn({ err: error }, "the state of displays' sensors can't be written down now, trying again");
        pending = merged(batch, pending);
        if (stopped) return;
        retry = setTimeout(() => {
          retry = null;
          note(() => undefined);
        }, retryMs).unref();
        return;
      }
    }
  }

  async function writeDown({ flows, born, sensorIds, locationIds }: Pending): Promise<void> {
    const now = ctx.clock.date();
    const changed: string[] = [];
    await saveFlows(ctx.db, [...flows.values()]);
    if (born.size > 0) changed.push(...(await closeOutages(ctx.db, [...born], now)));
    if (sensorIds.size + locationIds.size > 0) {
      const concerned = { ids: [...sensorIds], locationIds: [...locationIds] };
      changed.push(...(await openOutages(ctx.db, concerned, now)));
    }
    if (changed.length > 0) ctx.bus.emit({ name: "sightChanged", event: { sensorIds: changed } });
  }

  return {
    onBirth: (sensorId: string) => note(({ born }) => born.add(sensorId)),
    async stop(): Promise<void> {
      for (const one of off) one();
      if (retry) clearTimeout(retry);
      retry = null;
      await working;
      stopped = true;
      if (isAnything(pending)) await work();
    },
  };
}

function isAnything({ flows, born, sensorIds, locationIds }: Pending): boolean {
  return flows.size + born.size + sensorIds.size + locationIds.size > 0;
}

/** What failed, with what came since. */
function merged(failed: Pending, since: Pending): Pending {
  return {
    flows: new Map([...failed.flows, ...since.flows]),
    born: failed.born.union(since.born),
    sensorIds: failed.sensorIds.union(since.sensorIds),
    locationIds: failed.locationIds.union(since.locationIds),
  };
}

/** What displays need of their sensors. */
export const occupancy: Capability = { name: "occupancy", start };
