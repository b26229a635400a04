// Generates the vehicle feed of an account, at most once in ten seconds for all readers together.
import { createHash } from "node:crypto";
import { errorCode } from "@psp/contract/errors.ts";
import type { FeedMessage } from "@psp/contract/feed/feed.api.ts";
import { outOfServiceAfterMs } from "@psp/contract/vehicle/vehicle-states.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import { daysAgo } from "../kit/clock.ts";
import { createSingleFlight } from "../kit/limits/single-flight.ts";
import type { CoachRow } from "./coach.rights.ts";
import { deleteOldLoads, type FeedAccount, findCoaches } from "./feed.store.ts";
import { toFeedMessage } from "./feed.wire.ts";
import { toProtobuf } from "./protobuf.rules.ts";
import { type Coach, toVehicles } from "./vehicle.rules.ts";

export const feedFormats = {
  protobuf: { type: "application/x-protobuf", toBytes: toProtobuf },
  json: {
    type: "application/json; charset=utf-8",
    toBytes: (message: FeedMessage) => Buffer.from(JSON.stringify(message)),
  },
} as const;
export type FeedFormat = keyof typeof feedFormats;

export type SerializedFeed = { bytes: Buffer; tag: string; madeMs: number };
export type FeedSnapshot = { madeMs: number; message: FeedMessage; forms: Map<FeedFormat, SerializedFeed> };

export const cacheLifetimeS = 10;
/** Larger feeds are refused, because readers would assume that omitted vehicles are not running. */
const maxCoaches = 10_000;
const maxKept = 100;

export function createFeedGenerator(ctx: Context, limit = maxCoaches, kept = new Map<string, FeedSnapshot>()) {
  const once = createSingleFlight<FeedSnapshot>();

  const freshOf = (accountId: string): FeedSnapshot | null => {
    const known = kept.get(accountId);
    return known && ctx.clock.now() - known.madeMs < cacheLifetimeS * 1000 ? known : null;
  };

  async function make(account: FeedAccount): Promise<FeedSnapshot> {
    const { id } = account;
    const known = freshOf(id);
    if (known) return known;
    const rows = await findCoaches(ctx.db, account, offSince(ctx.clock.now()), limit + 1);
    if (rows.length > limit) {
      const reason = `A feed covers at most ${limit} coaches. Use the feeds of the sub-accounts instead.`;
      throw new AppError(errorCode.invalidArgument, { reason }, { status: 413 });
    }
    const madeMs = ctx.clock.now();
    const message = toFeedMessage(toVehicles(rows.map(toCoach), madeMs), madeMs);
    const snapshot: FeedSnapshot = { madeMs, message, forms: new Map() };
    kept.delete(id);
    kept.set(id, snapshot);
    // Removes expired snapshots, because they can be large.
    for (const one of kept.keys()) {
      if (kept.size <= maxKept && freshOf(one)) break;
      kept.delete(one);
    }
    return snapshot;
  }

  return async function feedOf(account: FeedAccount, format: FeedFormat): Promise<SerializedFeed> {
    const { message, madeMs, forms } = freshOf(account.id) ?? (await once(account.id, () => make(account)));
    const known = forms.get(format);
    if (known) return known;
    const bytes = feedFormats[format].toBytes(message);
    const tag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
    const form = { bytes, tag, madeMs };
    forms.set(format, form);
    return form;
  };
}

/** Sensors that were disconnected before this time are off. */
const offSince = (nowMs: number): Date => new Date(nowMs - outOfServiceAfterMs);

export function toCoach({ sensor_id, owner_id, group, zones, pos, at, is_off }: CoachRow): Coach {
  return { sensorId: sensor_id, ownerId: owner_id, group, zones, pos, atMs: at?.getTime() ?? null, isOff: is_off };
}

/** Retention of the loads from which the curve of a day is drawn (docs/rules/vehicles.md#day). */
const loadsDays = 35;

export const forgetOldLoads = (ctx: Context): Promise<void> => deleteOldLoads(ctx.db, daysAgo(ctx, loadsDays));
