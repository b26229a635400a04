// Datapoint calls to use cases; the data service streams its answers.
import type { Readable } from "node:stream";
import * as calls from "@psp/contract/datapoint/datapoint.api.ts";
import type { FastifyReply } from "fastify";
import type { Context } from "../context.ts";
import { type Binder, streamed, type Streamed } from "../http/bind.ts";
import * as data from "./data.service.ts";
import * as datapoints from "./datapoint.service.ts";
import { csvStream, jsonStream } from "./row-stream.ts";

export function datapointRoutes(bind: Binder, ctx: Context): void {
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
  bind.session(calls.downloadJson, async (caller, { query }, { reply }) =>
    stream(reply, "json", jsonStream(await data.download(ctx, caller, query))),
  );
  bind.session(calls.downloadCsv, async (caller, { query }, { reply }) =>
    stream(
      reply,
      "csv",
      csvStream(data.datapointColumns, await data.download(ctx, caller, query), data.datapointCells),
    ),
  );
  bind.session(calls.aggregateJson, async (caller, { query }, { reply }) =>
    stream(reply, "json", jsonStream(await data.aggregates(ctx, caller, query))),
  );
  bind.session(calls.aggregateCsv, async (caller, { query }, { reply }) =>
    stream(
      reply,
      "csv",
      csvStream(data.aggregateColumns, await data.aggregates(ctx, caller, query), data.aggregateCells),
    ),
  );
}

const types = { json: "application/json; charset=utf-8", csv: "text/csv; charset=utf-8" };

function stream(reply: FastifyReply, kind: keyof typeof types, rows: Readable): Streamed {
  void reply.header("cache-control", "no-store").type(types[kind]).send(rows);
  return streamed;
}
