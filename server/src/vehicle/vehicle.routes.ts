// Maps vehicle calls to use cases.
import * as calls from "@psp/contract/vehicle/vehicle.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import * as service from "./vehicle.service.ts";

export function vehicleRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => service.getVehicle(ctx, caller, id);
  bind.session(calls.listVehicles, (caller, { query }) => service.listVehicles(ctx, caller, query));
  bind.session(calls.getVehicle, (caller, { params }) => find(caller, params), find);
  bind.session(calls.getVehicleDay, (caller, { params, query }) => service.getDay(ctx, caller, params.id, query), find);
}
