// Use cases of the ledger: replay of a location's count at an instant, and manual corrections.
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput, ReplyOf } from "@psp/contract/kit/endpoint.ts";
import type { correctOccupancy, getOccupancyLedger } from "@psp/contract/occupancy/occupancy.api.ts";
import type { Context } from "../../context.ts";
import { write } from "../../db/write.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Caller } from "../../kit/caller.ts";
import { uuidv7 } from "../../kit/uuid.ts";
import {
  requireEditableLocation,
  requireVisibleLocation,
} from "../../location/applications/location.applications.service.ts";
import { filterFlows, isAnyGatewayListening, toLedger, loadBoard } from "./board.service.ts";
import { type Flow, addFlows } from "./ledger.rules.ts";
import * as store from "./ledger.store.ts";
import { explainState, toEntry } from "./ledger.wire.ts";

export { requireVisibleLocation };

/** Returns the ledger since the last reset before `at`, and what a display should have shown then, given all data received so far. */
export async function getLedger(
  ctx: Context,
  caller: Caller,
  locationId: string,
  at: string | undefined,
): Promise<ReplyOf<typeof getOccupancyLedger>> {
  await requireVisibleLocation(ctx, caller, locationId);
  const nowMs = ctx.clock.now();
  const atMs = Math.min(nowMs, at === undefined ? nowMs : Date.parse(at));
  const moment = { atMs, isNow: atMs === nowMs };
  const board = await loadBoard(ctx.db, locationId, moment);
  const isHeard = !moment.isNow || (await isAnyGatewayListening(ctx));
  const replayed = toLedger(board);
  const ledger = isHeard ? replayed : { ...replayed, isBlind: true };
  const flows: Flow[] = moment.isNow ? filterFlows(board, await store.findFlows(ctx.db, ledger.counting)) : [];
  const { shown, steps } = addFlows(ledger, flows);
  const sent = moment.isNow ? null : await store.findShownState(ctx.db, locationId, atMs);
  const toIso = (ms: number) => new Date(ms).toISOString();
  const idOf = (num: number) => board.sensors.get(num)?.id ?? null;
  return {
    since: toIso(ledger.sinceMs),
    shown: {
      at: toIso(atMs),
      state: shown.state,
      count: shown.count,
      maxObjects: shown.max,
      low: shown.low,
      high: shown.high,
      reason: explainState(ledger, shown, moment.isNow, sent),
    },
    course: ledger.course.map(({ atMs: pointMs, count, low, high, state }) => ({
      at: toIso(pointMs),
      count,
      low,
      high,
      state,
    })),
    entries: [...ledger.steps, ...steps].map((step) => toEntry(step, ledger, idOf)),
  };
}

/** Sets the number of people inside. Records of running intervals do not add people who passed before the correction. */
export async function correctCount(
  ctx: Context,
  caller: Caller,
  locationId: string,
  { count, note }: HandlerInput<typeof correctOccupancy>["body"],
) {
  return write(ctx, caller, async (w) => {
    const { owner } = await requireEditableLocation(w.tx, caller, locationId);
    const atMs = ctx.clock.now();
    const board = await loadBoard(w.tx, locationId, { atMs, isNow: true });
    const ledger = toLedger(board);
    if (!ledger.runs) {
      const reason = "This location's occupancy app is turned off or has no license.";
      throw new AppError(errorCode.invalidArgument, { reason });
    }
    const running = filterFlows(board, await store.findFlows(w.tx, ledger.counting));
    const flows = running.map(({ num, sinceMs, in: ins, out }) => ({ num, sinceMs, in: ins, out }));
    const before = addFlows(ledger, running).shown.count;
    const id = uuidv7(atMs);
    const correction = { id, location_id: locationId, at_ms: atMs, count, note: note ?? null, account_id: caller.id };
    await store.insertCorrection(w.tx, { ...correction, flows });
    w.audit({
      action: "correctOccupancy",
      object: { type: "measurement", _id: locationId },
      owner,
      before: { count: before },
      after: { count, note: note ?? null },
    });
    w.announce({ name: "occupancyCorrected", event: { locationIds: [locationId] } });
    return { _id: id, at: new Date(atMs).toISOString(), count };
  });
}
