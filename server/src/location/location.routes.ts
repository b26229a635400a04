// Maps location calls to use cases.
import * as calls from "@psp/contract/location/location.api.ts";
import * as batchCalls from "@psp/contract/location/location.batch.api.ts";
import type { Context } from "../context.ts";
import { type Binder, responseSent } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import { getOwned, grantLicenses } from "../owned/change.ts";
import * as batches from "./location.batch.service.ts";
import { locations } from "./location.noun.ts";
import * as service from "./location.service.ts";

export function locationRoutes(bind: Binder, ctx: Context): void {
  const find = (caller: Caller, { id }: { id: string }) => getOwned(ctx, locations, caller, id);
  bind.session(calls.listLocations, async (caller, { query }, { reply }) => {
    const answer = await service.listLocations(ctx, caller, query);
    if (answer.page) return answer.page;
    await reply.header("cache-control", "no-store").type("application/json; charset=utf-8").send(answer.ids);
    return responseSent;
  });
  bind.session(calls.findLocations, (caller, { query }) => service.findLocations(ctx, caller, query));
  bind.session(calls.locationStats, (caller) => service.getLocationStats(ctx, caller));
  bind.session(calls.listLocationTags, (caller, { query }) => service.listTags(ctx, caller, query));
  bind.session(calls.getLocation, (caller, { params }) => find(caller, params), find);
  bind.session(calls.createLocation, (caller, { body }) => service.createLocation(ctx, caller, body));
  bind.session(
    calls.updateLocation,
    (caller, { params, body }) => service.updateLocation(ctx, caller, params.id, body),
    find,
  );
  bind.session(calls.deleteLocation, (caller, { params }) => service.deleteLocation(ctx, caller, params.id), find);
  bind.session(batchCalls.batchUpdateLocations, (caller, { body: { changes, ...target } }, { closing }) =>
    batches.updateLocations(ctx, caller, target, changes, closing),
  );
  bind.session(batchCalls.batchUndoLocations, (caller, { body: { undoIDs } }, { closing }) =>
    batches.undoTags(ctx, caller, undoIDs, closing),
  );
  bind.session(batchCalls.batchDeleteLocations, (caller, { body }, { closing }) =>
    batches.deleteLocations(ctx, caller, body, closing),
  );
  bind.session(
    calls.grantLocationLicenses,
    (caller, { params, body: { buildings, occupancyMeasurement } }) =>
      grantLicenses(ctx, caller, locations, params.id, (row) => ({
        license_buildings: buildings ?? row.license_buildings,
        license_occupancy: occupancyMeasurement ?? row.license_occupancy,
      })),
    find,
  );
}
