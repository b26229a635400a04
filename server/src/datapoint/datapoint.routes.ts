// Datapoint calls to use cases; the data service streams its answers.
import type { Readable } from "node:stream";
import * as calls from "@psp/contract/datapoint/datapoint.api.ts";
import type { FastifyReply } from "fastify";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { type Binder, streamed, type Streamed } from "../http/bind.ts";
import { sendWhileAllowed, whenOver } from "../http/cut.ts";
import type { LongCall } from "../kit/long-call.ts";
import * as data from "./data.service.ts";
import { createKeyedSemaphore } from "../limits/keyed-semaphore.ts";
import * as datapoints from "./datapoint.service.ts";
import { csvStream, jsonStream } from "./row-stream.wire.ts";

/** At the same time, in this process: each takes its share of the database for as long as it is read. */
const maxStreams = { max: 200, maxPerKey: 2, retryAfterS: 1 };

export function datapointRoutes(bind: Binder, ctx: Context): void {
  const streams = createKeyedSemaphore(maxStreams);
  const begin = async (caller: Caller, reply: FastifyReply, lasts: () => Promise<LongCall>) => {
    whenOver(reply, streams.take(caller.id));
    return lasts();
  };
  bind.session(
    calls.listLocationDatapoints,
    (caller, { params, query }) => datapoints.listOfLocation(ctx, caller, params.id, query),
    (caller, { id }) => datapoints.requireLocation(ctx, caller, id),
  );
  bind.session(
    calls.listSensorDatapoints,
    (caller, { params, query }) => datapoints.listOfSensor(ctx, caller, params.id, query),
    (caller, { id }) => datapoints.requireSensor(ctx, caller, id),
  );
  bind.session(
    calls.createDatapoint,
    (caller, { params, body }) => datapoints.createDatapoint(ctx, caller, params.id, body),
    (caller, { id }) => datapoints.requireLocation(ctx, caller, id),
  );
  bind.session(calls.listDeadLetters, (caller, { query }) => datapoints.deadLetters(ctx, caller, query));
  bind.session(calls.downloadJson, async (caller, { query }, { reply, lasts }) => {
    const longCall = await begin(caller, reply, lasts);
    const rows = await data.download(ctx, longCall, query);
    return stream(reply, "json", jsonStream(rows), longCall);
  });
  bind.session(calls.downloadCsv, async (caller, { query }, { reply, lasts }) => {
    const longCall = await begin(caller, reply, lasts);
    const rows = await data.download(ctx, longCall, query);
    return stream(reply, "csv", csvStream(data.datapointColumns, rows, data.datapointCells), longCall);
  });
  bind.session(calls.aggregateJson, async (caller, { query }, { reply, lasts }) => {
    const longCall = await begin(caller, reply, lasts);
    const rows = await data.aggregates(ctx, longCall, query);
    return stream(reply, "json", jsonStream(rows), longCall);
  });
  bind.session(calls.aggregateCsv, async (caller, { query }, { reply, lasts }) => {
    const longCall = await begin(caller, reply, lasts);
    const rows = await data.aggregates(ctx, longCall, query);
    return stream(reply, "csv", csvStream(data.aggregateColumns, rows, data.aggregateCells), longCall);
  });
}

const types = { json: "application/json; charset=utf-8", csv: "text/csv; charset=utf-8" };

function stream(reply: FastifyReply, kind: keyof typeof types, rows: Readable, { signal }: LongCall): Streamed {
  void reply.header("cache-control", "no-store").type(types[kind]);
  sendWhileAllowed(reply, rows, signal);
  return streamed;
}
