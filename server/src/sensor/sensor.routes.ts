// Sensor calls to use cases, one line each.
import * as calls from "@psp/contract/sensor/sensor.api.ts";
import type { Context } from "../context.ts";
import { type Binder, streamed } from "../http/bind.ts";
import * as sensors from "./sensor.service.ts";
import { sensorStats } from "./sensor.stats.ts";

export function sensorRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.listSensors, async (caller, { query }, { reply }) => {
    const answer = await sensors.listSensors(ctx, caller, query);
    if (answer.page) return answer.page;
    await reply.header("cache-control", "no-store").type("application/json; charset=utf-8").send(answer.ids);
    return streamed;
  });
  bind.session(calls.sensorStats, (caller, { query }) =>
    sensorStats(ctx, caller, query.connectionTimeout ?? ctx.config.connectionTimeoutHours),
  );
  bind.session(calls.getSensor, (caller, { params }) => sensors.getSensor(ctx, caller, params.id));
  bind.session(calls.createSensor, (caller, { body }) => sensors.createSensor(ctx, caller, body));
  bind.session(
    calls.updateSensor,
    (caller, { params, body }) => sensors.updateSensor(ctx, caller, params.id, body),
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
  bind.session(calls.deleteSensor, (caller, { params }) => sensors.deleteSensor(ctx, caller, params.id));
  bind.session(
    calls.grantSensorLicenses,
    (caller, { params, body }) => sensors.grantLicenses(ctx, caller, params.id, body),
    (caller, { id }) => sensors.getSensor(ctx, caller, id),
  );
}
