// Further processes on the database of a device world.
import { pino } from "pino";
import type { Config } from "../../config.ts";
import { type Context, createContext } from "../../context.ts";
import { bridgeBus } from "../../db/bus/bus-bridge.ts";
import { openNotifyWire } from "../../db/bus/notify-wire.ts";
import { openDatabase } from "../../db/database.ts";
import type { SensorGateway } from "../../device/sensor-gateway.ts";
import { type Clock, createClock } from "../../kit/clock.ts";

export type ProcessBeside = {
  ctx: Context;
  gateway: SensorGateway | null;
  port: number;
  /** Ends the broker's listener and connections, but writes and announces nothing. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export function createProcessContext(config: Config, databaseUrl: string, clock: Clock = createClock()): Context {
  const log = pino({ level: config.logLevel });
  return createContext({ config, db: openDatabase(databaseUrl, { pool: 8, log }), clock, log });
}

/** Connects the context to other processes as `startServer` does; returns the end of it. */
export async function bridge(ctx: Context, databaseUrl: string, gateway: () => SensorGateway | null) {
  await ctx.announcements.start(() => void gateway()?.missed());
  const bridged = await bridgeBus(ctx.bus, openNotifyWire(databaseUrl), ctx, {
    onCommit: ctx.announcements.noticed,
    onLoss: () => void gateway()?.messagesLost(),
  });
  ctx.announcements.onCommit(bridged.notify);
  return async () => {
    await bridged.stop();
    await ctx.announcements.stop();
  };
}

/** `start` starts its gateway, if it has one. */
export async function startBeside(
  config: Config,
  databaseUrl: string,
  start: ((ctx: Context) => Promise<SensorGateway>) | null,
  running: Set<ProcessBeside>,
): Promise<ProcessBeside> {
  const ctx = createProcessContext(config, databaseUrl);
  let gateway: SensorGateway | null = null;
  const endBridge = await bridge(ctx, databaseUrl, () => gateway);
  gateway = (await start?.(ctx)) ?? null;
  const started: ProcessBeside = {
    ctx,
    gateway,
    port: gateway?.port ?? 0,
    async kill() {
      running.delete(started);
      await ctx.db.destroy();
      await endBridge();
      await gateway?.stop();
    },
    async stop() {
      running.delete(started);
      await gateway?.stop();
      await endBridge();
      await ctx.db.destroy();
    },
  };
  running.add(started);
  return started;
}
