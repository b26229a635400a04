// Maps datapoint calls to use cases; the data service streams its responses.
import type { Readable } from "node:stream";
import * as calls from "@psp/contract/datapoint/datapoint.api.ts";
import type { AggregationPeriod, AggregateRow } from "@psp/contract/datapoint/datapoint.api.ts";
import type { CsvStyleQuery } from "@psp/contract/kit/csv-style.ts";
import type { FastifyReply } from "fastify";
import type { Caller, LongCall } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { type Binder, responseSent, type ResponseSent } from "../http/bind.ts";
import { forStream, type HeavyReads } from "../http/heavy-reads.ts";
import { sendWhileAllowed, onResponseClosed } from "../http/long-calls.ts";
import * as data from "./data.service.ts";
import * as datapoints from "./datapoint.service.ts";
import { toContentDisposition } from "../http/attachment.ts";
import { csvStream, fileTypes, toCsvStyle, jsonStream, type Sheet, xlsxStream } from "../kit/row-stream.ts";
import * as sheets from "./sheet.wire.ts";

type FileQuery = CsvStyleQuery & { filter: string[]; acc?: AggregationPeriod; fileName?: string | undefined };
type Streaming = { reply: FastifyReply; beginLongCall: () => Promise<LongCall> };

export function datapointRoutes(bind: Binder, ctx: Context, heavy: HeavyReads): void {
  const { streams } = heavy;
  const rowsOf =
    <Q extends FileQuery, R>(
      find: (ctx: Context, longCall: LongCall, query: Q) => Promise<data.DataStream<R>>,
      kind: keyof typeof fileTypes,
      toStream: (file: data.DataStream<R>, query: Q) => Readable,
    ) =>
    async (caller: Caller, { query }: { query: Q }, { reply, beginLongCall }: Streaming): Promise<ResponseSent> => {
      onResponseClosed(reply, streams.take(caller.id));
      const longCall = await beginLongCall();
      const file = await find(forStream(ctx, reply, longCall), longCall, query);
      const name = query.fileName
        ? `${query.fileName}.${kind}`
        : sheets.toSheetFileName(file.shown, query.acc ?? "datapoints", kind);
      const headers = { "cache-control": "no-store", "content-disposition": toContentDisposition(name) };
      void reply.headers(headers).type(fileTypes[kind]);
      sendWhileAllowed(reply, toStream(file, query), longCall.signal);
      return responseSent;
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
  bind.session(calls.listDeadLetters, (caller, { query }) => datapoints.listSensorDeadLetters(ctx, caller, query));
  bind.session(calls.downloadJson, rowsOf(data.streamDatapoints, "json", toJson));
  const pointsCsv = toCsv(sheets.datapointSheet, sheets.datapointSheetForPeople);
  bind.session(calls.downloadCsv, rowsOf(data.streamDatapoints, "csv", pointsCsv));
  bind.session(calls.aggregateJson, rowsOf(data.streamAggregates, "json", toJson));
  bind.session(
    calls.aggregateCsv,
    rowsOf(data.streamAggregates, "csv", toCsv(sheets.sumSheet, sheets.sumSheetForPeople)),
  );
  const sumsXlsx = ({ shown, rows }: data.DataStream<AggregateRow>) =>
    xlsxStream(sheets.sumSheetForPeople, rows, sheets.toSheetTitle(shown));
  bind.session(calls.aggregateXlsx, rowsOf(data.streamAggregates, "xlsx", sumsXlsx));
}

function toJson<R>({ rows }: data.DataStream<R>): Readable {
  return jsonStream(
    (async function* () {
      for await (const { row } of rows) yield row;
    })(),
  );
}

function toCsv<R>(plain: Sheet<sheets.SheetRow<R>>, forPeople: Sheet<sheets.SheetRow<R>>) {
  return ({ shown, rows }: data.DataStream<R>, query: CsvStyleQuery): Readable =>
    csvStream(query.style === "people" ? forPeople : plain, rows, toCsvStyle(query, sheets.toSheetTitle(shown)));
}
