// Maps sensor calls to use cases.
import * as calls from "@psp/contract/sensor/sensor.api.ts";
import * as batchCalls from "@psp/contract/sensor/sensor.batch.api.ts";
import { publishToSensor, requestSensor } from "@psp/contract/sensor/sensor.remote.api.ts";
import type { Context } from "../context.ts";
import { type Binder, responseSent } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import { getOwned, grantLicenses } from "../owned/change.ts";
import * as batches from "./batch/batch.service.ts";
import { sensors } from "./sensor.noun.ts";
import * as remote from "./sensor.remote.service.ts";
import * as service from "./sensor.service.ts";
import { getSensorStats } from "./sensor.stats.service.ts";

export function sensorRoutes(bind: Binder, ctx: Context, parts: remote.RemoteDependencies): void {
  const find = (caller: Caller, { id }: { id: string }) => getOwned(ctx, sensors, caller, id);
  bind.session(calls.listSensors, async (caller, { query }, { reply }) => {
    const answer = await service.listSensors(ctx, caller, query);
    if (answer.page) return answer.page;
    await reply.header("cache-control", "no-store").type("application/json; charset=utf-8").send(answer.ids);
    return responseSent;
  });
  bind.session(calls.sensorStats, (caller, { query }) =>
    getSensorStats(ctx, caller, query.connectionTimeout ?? ctx.config.connectionTimeoutHours),
  );
  bind.session(calls.getSensor, (caller, { params }) => find(caller, params), find);
  bind.session(calls.createSensor, (caller, { body }) => service.createSensor(ctx, caller, body));
  bind.session(
    calls.updateSensor,
    (caller, { params, body }) => service.updateSensor(ctx, caller, params.id, body),
    find,
  );
  bind.session(calls.deleteSensor, (caller, { params }) => service.deleteSensor(ctx, caller, params.id), find);
  bind.session(
    calls.grantSensorLicenses,
    (caller, { params, body }) =>
      grantLicenses(ctx, caller, sensors, params.id, (row) => ({
        license_monitoring: body.monitoring ?? row.license_monitoring,
      })),
    find,
  );
  bind.session(
    requestSensor,
    (caller, { params, body }) => remote.requestSensor(ctx, caller, params.id, body, parts),
    find,
  );
  bind.session(
    publishToSensor,
    (caller, { params, body }, { reply }) => {
      reply.code(202);
      return remote.publishToSensor(ctx, caller, params.id, body, parts);
    },
    find,
  );
  batchRoutes(bind, ctx);
}

function batchRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => batches.getBatch(ctx, caller, id);
  for (const call of [batchCalls.batchUpdateSensors, batchCalls.batchDeleteSensors] as const)
    bind.session(call, (caller, { body }, { closing }) => batches.runBatch(ctx, caller, body, closing));
  bind.session(batchCalls.listSensorBatches, (caller, { query }) => batches.listBatches(ctx, caller, query.key));
  bind.session(batchCalls.getSensorBatch, (caller, { params }) => find(caller, params), find);
  bind.session(batchCalls.cancelSensorBatch, (caller, { params }) => batches.cancelBatch(ctx, caller, params.id), find);
}
