// Datapoint calls to use cases; the data service streams its answers.
import type { Readable } from "node:stream";
import * as calls from "@psp/contract/datapoint/datapoint.api.ts";
import type { FastifyReply } from "fastify";
import type { Caller, LongCall } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { type Binder, streamed, type Streamed } from "../http/bind.ts";
import { endingWith, type HeavyReads } from "../http/heavy-reads.ts";
import { sendWhileAllowed, whenOver } from "../http/long-calls.ts";
import * as data from "./data.service.ts";
import { createKeyedSemaphore } from "../limits/semaphores.ts";
import * as datapoints from "./datapoint.service.ts";
import { csvStream, jsonStream, xlsxStream } from "../kit/row-stream.ts";

/** At the same time, in this process: each takes its share of the database for as long as it is read. */
const maxStreams = { max: 40, maxPerKey: 2, retryAfterS: 1 };

const types = {
  json: "application/json; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};
type Streaming = { reply: FastifyReply; lasts: () => Promise<LongCall> };

export function datapointRoutes(bind: Binder, ctx: Context, heavy: HeavyReads): void {
  const streams = createKeyedSemaphore(maxStreams);
  /** A call that answers with rows as they are read. */
  const rowsOf =
    <Q, R>(
      find: (ctx: Context, longCall: LongCall, query: Q) => Promise<AsyncIterable<R>>,
      kind: keyof typeof types,
      toText: (rows: AsyncIterable<R>) => Readable,
    ) =>
    async (caller: Caller, { query }: { query: Q }, { reply, lasts }: Streaming): Promise<Streamed> => {
      whenOver(reply, streams.take(caller.id));
      const longCall = await lasts();
      const rows = toText(await find(endingWith(ctx, reply, longCall), longCall, query));
      void reply.header("cache-control", "no-store").type(types[kind]);
      sendWhileAllowed(reply, rows, longCall.signal);
      return streamed;
    };
  type Id = { id: string };
  const findLocation = (caller: Caller, { id }: Id) => datapoints.requireSubject(ctx, caller, "location", id);
  const findSensor = (caller: Caller, { id }: Id) => datapoints.requireSubject(ctx, caller, "sensor", id);
  bind.session(
    calls.listLocationDatapoints,
    heavy.handler(async (own, caller, { params, query }) =>
      datapoints.listDatapoints(own, await findLocation(caller, params), query),
    ),
    findLocation,
  );
  bind.session(
    calls.listSensorDatapoints,
    heavy.handler(async (own, caller, { params, query }) =>
      datapoints.listDatapoints(own, await findSensor(caller, params), query),
    ),
    findSensor,
  );
  bind.session(
    calls.createDatapoint,
    (caller, { params, body }) => datapoints.createDatapoint(ctx, caller, params.id, body),
    findLocation,
  );
  bind.session(calls.listDeadLetters, (caller, { query }) => datapoints.deadLetters(ctx, caller, query));
  const pointsCsv = csvStream(data.datapointColumns, data.datapointCells);
  const sumsCsv = csvStream(data.aggregateColumns, data.aggregateCells);
  const sumsXlsx = xlsxStream(data.aggregateColumns, data.aggregateCells);
  bind.session(calls.downloadJson, rowsOf(data.download, "json", jsonStream));
  bind.session(calls.downloadCsv, rowsOf(data.download, "csv", pointsCsv));
  bind.session(calls.aggregateJson, rowsOf(data.aggregates, "json", jsonStream));
  bind.session(calls.aggregateCsv, rowsOf(data.aggregates, "csv", sumsCsv));
  bind.session(calls.aggregateXlsx, rowsOf(data.aggregates, "xlsx", sumsXlsx));
}
