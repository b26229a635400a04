// Sections that the server works with itself, which must be known without anybody opening their page: read over each tunnel that
// opens, again when they were set, and now and then, because a sensor has a page of its own.
import type { Section } from "@psp/contract/section/field.ts";
import { type RpcCall } from "@psp/contract/section/rpc.ts";
import { sectionOf } from "@psp/contract/section/sections.ts";
import type { SectionAnswer } from "@psp/contract/section/wire.ts";
import type { SensorType } from "@psp/contract/sensor/sensor-type.ts";
import pLimit from "p-limit";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import { TunnelError, type Tunnels } from "../tunnel/tunnel.service.ts";
import { answerIn, rpcRequest } from "./section.service.ts";
import * as store from "./section.store.ts";

/** How a coach is divided: the feed of vehicles needs its places. */
const wanted: { type: SensorType; section: string } = { type: "ZOD", section: "group" };

/** A fleet whose network comes back opens its tunnels at once; its answers need not come at once. */
const atOnce = 8;
const lookMs = 5 * 60_000;
const staleMs = 3_600_000;

export type SectionReading = {
  /** Reads what was not read for long, of the sensors that can be asked; happens by itself every few minutes. */
  refresh(): Promise<void>;
  /** Ends after what is at work. */
  stop(): Promise<void>;
};

export function readOverTunnels(ctx: Context, tunnels: Tunnels): SectionReading {
  const turn = pLimit(atOnce);
  const waiting = new Set<string>();
  const atWork = new Set<Promise<void>>();
  let stopped = false;

  function add(sensorId: string): void {
    if (stopped || waiting.has(sensorId)) return;
    waiting.add(sensorId);
    const work = turn(async () => {
      waiting.delete(sensorId);
      if (!stopped) await read(ctx, tunnels, sensorId);
    })
      .catch((error: unknown) => {
        // The sensor went away, or said what can't be read: it is asked again some time.
        if (error instanceof TunnelError || error instanceof AppError)
          ctx.log.debug({ err: error, sensorId }, "a section could not be read");
        else ctx.log.warn({ err: error, sensorId }, "a section could not be read");
      })
      .finally(() => atWork.delete(work));
    atWork.add(work);
  }

  async function refresh(): Promise<void> {
    const since = new Date(ctx.clock.now() - staleMs);
    for (const id of await store.findUnread(ctx.db, tunnels.openIds(), { ...wanted, since })) add(id);
  }

  const off = [
    tunnels.onOpen(add),
    ctx.bus.on("sectionSet", ({ sensorId, section }) => {
      if (section === wanted.section && tunnels.isOpen(sensorId)) add(sensorId);
    }),
  ];
  const timer = setInterval(
    () =>
      void refresh().catch((error: unknown) => ctx.log.warn({ err: error }, "sections could not be looked through")),
    lookMs,
  ).unref();

  return {
    refresh,
    async stop() {
      stopped = true;
      for (const one of off) one();
      clearInterval(timer);
      await Promise.all(atWork);
    },
  };
}

async function read(ctx: Context, tunnels: Tunnels, sensorId: string): Promise<void> {
  const sensor = await store.findSensorById(ctx.db, sensorId);
  if (sensor?.type !== wanted.type) return;
  const section = sectionOf(wanted.type, wanted.section) as Section;
  const id = 1;
  const at = ctx.clock.date();
  const call: RpcCall = { method: "config.get", section };
  const text = JSON.stringify({ jsonrpc: "2.0", id, method: call.method, params: { section: section.key } });
  const reply = await tunnels.request(sensorId, rpcRequest(text, ctx.config.autoLogin.view));
  const answer = answerIn(reply, id, call);
  if (answer.error === undefined)
    await store.storeSection(ctx.db, sensor, section.key, answer.result as SectionAnswer, at);
}
