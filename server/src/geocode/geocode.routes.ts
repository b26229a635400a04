// Maps the geocoding call to its use case.
import { geocode } from "@psp/contract/location/geocode.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { createPlaceFinder } from "./geocode.service.ts";

export function geocodeRoutes(bind: Binder, ctx: Context): void {
  const findPlaces = createPlaceFinder(ctx);
  bind.session(geocode, (caller, { query }) => findPlaces(query.q, caller.id));
}
