// Reads the settings sections that the server itself needs: over each new tunnel, after they were set, and periodically, because device
// pages can change them.
import type { Section } from "@psp/contract/section/field.ts";
import { type RpcCall } from "@psp/contract/section/rpc.ts";
import { sectionOf } from "@psp/contract/section/sections.ts";
import type { SectionResponse } from "@psp/contract/section/wire.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import pLimit from "p-limit";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import { settleWithTimeout } from "../kit/limits/settle-with-timeout.ts";
import { TunnelError, type Tunnels } from "../tunnel/tunnel.service.ts";
import { createRpcRequest, keepSection, parseRpcResponse } from "./section.service.ts";
import * as store from "./section.store.ts";

/** The vehicle feed needs the capacities of a coach's sections. */
const wanted: { type: SensorType; section: string } = { type: "ZOD", section: "group" };

/** Concurrent section reads. Limited because all tunnels of a fleet reconnect at the same time after an outage. */
const maxConcurrentReads = 8;
/** Additional slots for sections that were just set, which are read even if many sensors do not respond. */
const maxConcurrentReadsAfterSet = 4;
const lookMs = 5 * 60_000;
const staleMs = 3_600_000;
const firstPauseMs = lookMs;
const maxPauseMs = 6 * 3_600_000;

type SectionReading = {
  /** Reads stale sections of reachable sensors; runs every few minutes. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

export function readSectionsOverTunnels(ctx: Context, tunnels: Tunnels): SectionReading {
  const atWork = new Set<Promise<void>>();
  /** Pauses of sensors that have a tunnel but do not respond or have no sections. */
  const pauses = new Map<string, { untilMs: number; ms: number }>();
  let stopped = false;

  function createReadQueue(max: number) {
    const turn = pLimit(max);
    const waiting = new Set<string>();
    return (sensorId: string): void => {
      if (stopped || waiting.has(sensorId)) return;
      waiting.add(sensorId);
      const work = turn(async () => {
        waiting.delete(sensorId);
        if (!stopped) pause(sensorId, await read(ctx, tunnels, sensorId));
      })
        .catch((error: unknown) => {
          // The sensor is gone or sent something unreadable: retried later.
          if (error instanceof TunnelError || error instanceof AppError) {
            pause(sensorId, false);
            ctx.log.debug({ err: error, sensorId }, "a section could not be read");
          } else ctx.log.warn({ err: error, sensorId }, "a section could not be read");
        })
        .finally(() => atWork.delete(work));
      atWork.add(work);
    };
  }
  const [add, addFirst] = [createReadQueue(maxConcurrentReads), createReadQueue(maxConcurrentReadsAfterSet)];

  function pause(sensorId: string, isRead: boolean): void {
    if (isRead) return void pauses.delete(sensorId);
    const ms = Math.min(maxPauseMs, 2 * (pauses.get(sensorId)?.ms ?? firstPauseMs / 2));
    pauses.set(sensorId, { untilMs: ctx.clock.now() + ms, ms });
  }

  async function refresh(): Promise<void> {
    const now = ctx.clock.now();
    for (const id of pauses.keys()) if (!tunnels.isOpen(id)) pauses.delete(id);
    const unread = await store.findSensorsWithStaleSection(ctx.db, tunnels.openIds(), {
      ...wanted,
      since: new Date(now - staleMs),
    });
    for (const id of unread) if ((pauses.get(id)?.untilMs ?? 0) <= now) add(id);
  }

  const off = [
    tunnels.onOpen((sensorId) => {
      pauses.delete(sensorId);
      add(sensorId);
    }),
    ctx.bus.on("sectionSet", ({ sensorId, section }) => {
      if (section === wanted.section && tunnels.isOpen(sensorId)) addFirst(sensorId);
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
      await settleWithTimeout(atWork);
    },
  };
}

/** False if the sensor has no such section. */
async function read(ctx: Context, tunnels: Tunnels, sensorId: string): Promise<boolean> {
  const sensor = await store.findSensorById(ctx.db, sensorId);
  if (sensor?.type !== wanted.type) return true;
  const section = sectionOf(wanted.type, wanted.section) as Section;
  const id = 1;
  const at = ctx.clock.date();
  const call: RpcCall = { method: "config.get", section };
  const text = JSON.stringify({ jsonrpc: "2.0", id, method: call.method, params: { section: section.key } });
  const reply = await tunnels.request(sensorId, createRpcRequest(text, ctx.config.autoLogin.view));
  const answer = parseRpcResponse(reply, id, call);
  if (answer.error !== undefined) return false;
  await keepSection(ctx, sensor, section.key, answer.result as SectionResponse, at);
  return true;
}
