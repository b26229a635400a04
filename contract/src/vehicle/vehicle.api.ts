// API calls for vehicles.
import { z } from "zod";
import { parseDay } from "../counts/count-range.ts";
import { boundedText } from "../kit/bounded-text.ts";
import { endpoint } from "../kit/endpoint.ts";
import { idFilter, idText, pageQuery, pageReply, repeatable, textFilter } from "../kit/page.ts";
import { isZone } from "../kit/zone.ts";
import { vehicleStates } from "./vehicle-states.ts";
import { vehicleDaySchema, vehicleSchema } from "./vehicle.ts";

const { includeDeleted: _, ...paging } = pageQuery(["vehicleId", "line", "state", "percent", "at"]);

export const vehicleListQuery = z.strictObject({
  ...paging,
  vehicleID: textFilter.optional(),
  line: textFilter.optional(),
  state: repeatable(z.enum(vehicleStates)).optional(),
  ownerID: idFilter.optional(),
});

const vehicleParams = z.strictObject({ id: boundedText(128) });

export const listVehicles = endpoint("listVehicles", "GET", "/v2/vehicle", {
  summary: "Vehicles whose coaches have sensors that the caller may view, with their current load and position",
  query: vehicleListQuery,
  reply: pageReply(vehicleSchema),
});
export const getVehicle = endpoint("getVehicle", "GET", "/v2/vehicle/{id}", {
  summary: "One vehicle",
  params: vehicleParams,
  reply: vehicleSchema,
});
export const getVehicleDay = endpoint("getVehicleDay", "GET", "/v2/vehicle/{id}/day", {
  summary: "The load of a vehicle in each quarter hour of a day",
  params: vehicleParams,
  query: z.strictObject({
    date: boundedText(10).refine((date) => parseDay(date) !== null && date >= "2000-01-01" && date < "2100-01-01", {
      error: "Dates look like 2026-12-24, from 2000 to 2099",
    }),
    /** Time zone of the day; UTC by default. */
    zone: idText.refine(isZone, { error: "Not a time zone" }).optional(),
  }),
  reply: vehicleDaySchema,
});
