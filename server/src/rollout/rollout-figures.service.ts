// Computes the progress of one firmware on visible sensors, with reasons of failures and an estimated end.
import { maxRolloutReasons, type Rollout } from "@psp/contract/firmware/firmware.ts";
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import type { Context } from "../context.ts";
import { getFirmware } from "../firmware/firmware.service.ts";
import type { Caller } from "../kit/caller.ts";
import { countRollout, findRecentlyDone } from "./rollout-figures.store.ts";

export const getFirmwareOfRollout = getFirmware;

const paceMs = 3_600_000;
/** Recent installations that the estimate is based on; few enough to count for each request. */
const maxRecent = 500;

export async function computeRollout(ctx: Context, caller: Caller, id: string): Promise<Rollout> {
  await getFirmware(ctx, caller, id);
  const figures = await countRollout(ctx.db, caller, id, maxRolloutReasons);
  const states = figures.filter(({ kind }) => kind === "state");
  const sum = (some: typeof states) => some.reduce((total, { n }) => total + n, 0);
  const of = (state: InstallationState | null) => sum(states.filter((one) => one.state === state));
  const reasons = figures.flatMap(({ kind, reason, n }) => (kind === "reason" ? [{ reason, count: n }] : []));
  const ahead = states.filter(({ state }) => state === "waiting" || state === "installing");
  const there = ahead.filter(({ connected }) => connected);
  return {
    running: figures.find(({ kind }) => kind === "running")?.n ?? 0,
    assigned: sum(states),
    waiting: of("waiting"),
    paused: of("paused"),
    installing: of("installing"),
    done: of("done"),
    failed: of("failed"),
    canceled: of("canceled"),
    reverted: of("reverted"),
    ranBefore: of(null),
    reasons,
    otherReasons: of("failed") - reasons.reduce((total, { count }) => total + count, 0),
    offline: sum(ahead) - sum(there),
    ...(await estimate(ctx, caller, id, sum(there))),
  };
}

/** Estimates the end from the installations of the last hour. A rollout younger than an hour uses its own duration. */
async function estimate(ctx: Context, caller: Caller, id: string, left: number) {
  const now = ctx.clock.now();
  const hourAgo = new Date(now - paceMs);
  const { n, begun, ended } = await findRecentlyDone(ctx.db, caller, id, hourAgo, maxRecent);
  const since = n < maxRecent ? begun : ended;
  if (left === 0 || since === null) return { recentlyDone: n, estimatedEndAt: null };
  const spanMs = Math.min(paceMs, Math.max(now - since.getTime(), 1000));
  return { recentlyDone: n, estimatedEndAt: new Date(now + (left * spanMs) / n).toISOString() };
}
