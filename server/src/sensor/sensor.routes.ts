// Sensor calls to use cases, one line each.
import * as calls from "@psp/contract/sensor/sensor.api.ts";
import * as batchCalls from "@psp/contract/sensor/sensor.batch.api.ts";
import { publishToSensor, requestSensor } from "@psp/contract/sensor/sensor.remote.api.ts";
import type { Context } from "../context.ts";
import { type Binder, streamed } from "../http/bind.ts";
import * as batches from "./batch/batch.service.ts";
import * as remote from "./sensor.remote.service.ts";
import * as sensors from "./sensor.service.ts";
import { sensorStats } from "./sensor.stats.service.ts";

export function sensorRoutes(bind: Binder, ctx: Context, parts: remote.RemoteParts): void {
  bind.session(calls.listSensors, async (caller, { query }, { reply }) => {
    const answer = await sensors.listSensors(ctx, caller, query);
    if (answer.page) return answer.page;
    await reply.header("cache-control", "no-store").type("application/json; charset=utf-8").send(answer.ids);
    return streamed;
  });
  bind.session(calls.sensorStats, (caller, { query }) =>
    sensorStats(ctx, caller, query.connectionTimeout ?? ctx.config.connectionTimeoutHours),
  );
  bind.session(
    calls.getSensor,
    (caller, { params }) => sensors.getSensor(ctx, caller, params.id),
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
  bind.session(calls.createSensor, (caller, { body }) => sensors.createSensor(ctx, caller, body));
  bind.session(
    calls.updateSensor,
    (caller, { params, body }) => sensors.updateSensor(ctx, caller, params.id, body),
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
  bind.session(
    calls.deleteSensor,
    (caller, { params }) => sensors.deleteSensor(ctx, caller, params.id),
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
  bind.session(
    calls.grantSensorLicenses,
    (caller, { params, body }) => sensors.grantLicenses(ctx, caller, params.id, body),
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
  bind.session(
    requestSensor,
    (caller, { params, body }) => remote.requestSensor(ctx, caller, params.id, body, parts),
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
  bind.session(
    publishToSensor,
    (caller, { params, body }, { reply }) => {
      reply.code(202);
      return remote.publishToSensor(ctx, caller, params.id, body, parts);
    },
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
  batchRoutes(bind, ctx);
}

function batchRoutes(bind: Binder, ctx: Context): void {
  bind.session(batchCalls.batchUpdateSensors, (caller, { body }, { closing }) =>
    batches.batchUpdate(ctx, caller, body, closing),
  );
  bind.session(batchCalls.batchDeleteSensors, (caller, { body }, { closing }) =>
    batches.batchDelete(ctx, caller, body, closing),
  );
  bind.session(batchCalls.listSensorBatches, (caller, { query }) => batches.listBatches(ctx, caller, query.key));
  bind.session(
    batchCalls.getSensorBatch,
    (caller, { params }) => batches.getBatch(ctx, caller, params.id),
    (caller, { id }) => batches.getBatch(ctx, caller, id),
  );
  bind.session(
    batchCalls.cancelSensorBatch,
    (caller, { params }) => batches.cancelBatch(ctx, caller, params.id),
    (caller, { id }) => batches.getBatch(ctx, caller, id),
  );
}
