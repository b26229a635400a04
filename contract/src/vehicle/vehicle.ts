// Vehicles: coaches with ZOD sensors, grouped by owner and vehicle id (docs/rules/vehicles.md).
import { z } from "zod";
import { ownerRefSchema } from "../account/account.ts";
import { vehicleStates } from "./vehicle-states.ts";

const loadSchema = z.object({
  persons: z.int(),
  seats: z.int(),
  standing: z.int(),
  /** Of all seats and standing places; more than 100 if overcrowded. */
  percent: z.int(),
  seatsFree: z.int(),
});
export type VehicleLoad = z.output<typeof loadSchema>;

const positionSchema = z.object({
  lat: z.number(),
  lng: z.number(),
  /** In degrees clockwise from north. */
  heading: z.number().optional(),
  /** In m/s. */
  speed: z.number().optional(),
  at: z.string(),
});
export type VehiclePosition = z.output<typeof positionSchema>;

const coachSchema = z.object({
  /** Sensors at this position; empty if there is none, several if each sees a part of the coach. */
  sensorIDs: z.array(z.string()),
  sequence: z.int(),
  name: z.string().nullable(),
  state: z.enum(vehicleStates),
  load: loadSchema.nullable(),
  /** Time of the latest message. */
  at: z.string().nullable(),
});
export type VehicleCoach = z.output<typeof coachSchema>;

export const vehicleSchema = z.object({
  _id: z.string(),
  vehicleId: z.string(),
  owner: ownerRefSchema,
  line: z.string().nullable(),
  state: z.enum(vehicleStates),
  /** Null unless the load of every coach is known. */
  load: loadSchema.nullable(),
  position: positionSchema.nullable(),
  at: z.string().nullable(),
  coaches: z.array(coachSchema),
});
export type Vehicle = z.output<typeof vehicleSchema>;

const slotSchema = z.object({
  from: z.string(),
  /** Null if the load of a coach was unknown. */
  load: z.object({ persons: z.number(), places: z.int(), percent: z.int() }).nullable(),
});

export const vehicleDaySchema = z.object({
  date: z.string(),
  zone: z.string(),
  slotMinutes: z.int(),
  slots: z.array(slotSchema),
});
export type VehicleDay = z.output<typeof vehicleDaySchema>;
