// Stores the flows and outages of sensors at locations with the app.
import type { Capability } from "../device/capability.ts";
import type { Context } from "../context.ts";
import { announcing } from "../db/write.ts";
import { createNewestWriter } from "../db/newest-writer.ts";
import { closeOutages, openOutages, type ReportedFlow, saveFlows } from "./ledger/ledger.store.ts";

/** A change to store. A later change of the same kind and id replaces it. */
type Said = { of: "flow"; id: string; flow: ReportedFlow } | { of: "born" | "sensor" | "location"; id: string };

function start(ctx: Context) {
  const writer = createNewestWriter<Said>({
    name: "the state of displays' sensors",
    log: ctx.log,
    write: (said) => writeDown(ctx, said),
  });
  const put = (said: Said) => writer.put(`${said.of} ${said.id}`, said);

  const off = [
    ctx.bus.on("liveLevel", ({ sensorId, level }) => {
      if (level.t !== "flow") return;
      const sumOf = (way: "in" | "out") => level.lines.reduce((sum, line) => sum + line[way], 0);
      const flow = { sinceMs: level.since, receivedMs: ctx.clock.now(), in: sumOf("in"), out: sumOf("out") };
      put({ of: "flow", id: sensorId, flow: { sensorId, ...flow } });
    }),
    ctx.bus.on("entityChanged", ({ type, op, id }) => {
      if (op === "delete") return;
      if (type === "sensor") put({ of: "sensor", id });
      else if (type === "measurement") put({ of: "location", id });
    }),
  ];

  return {
    onBirth: (sensorId: string) => put({ of: "born", id: sensorId }),
    async stop(): Promise<void> {
      for (const one of off) one();
      await writer.stop();
    },
  };
}

async function writeDown(ctx: Context, said: readonly Said[]): Promise<void> {
  const now = ctx.clock.date();
  const idsOf = (of: Said["of"]) => said.flatMap((one) => (one.of === of ? [one.id] : []));
  const [born, ids, locationIds] = [idsOf("born"), idsOf("sensor"), idsOf("location")];
  await announcing(ctx, async (tx, announce) => {
    await saveFlows(
      tx,
      said.flatMap((one) => (one.of === "flow" ? [one.flow] : [])),
    );
    const sensorIds = [
      ...(born.length > 0 ? await closeOutages(tx, born, now) : []),
      ...(ids.length + locationIds.length > 0 ? await openOutages(tx, { ids, locationIds }, now) : []),
    ];
    if (sensorIds.length > 0) announce({ name: "sightChanged", event: { sensorIds } });
  });
}

export const occupancy: Capability = { name: "occupancy", start };
