// Schemas of the responses to preview.get: camera pictures, occupancy and position. Previews are never stored.
import { z } from "zod";
import { boundedText, deviceText } from "../kit/bounded-text.ts";
import type { PreviewKind } from "./sections.ts";
import { deviceTimeSchema } from "./wire.ts";

const most = { cameras: 8, levels: 3, sections: 12, side: 640, pictureBytes: 60 * 1024, persons: 100_000 } as const;
const id = boundedText(64).check(z.minLength(1));
const name = deviceText(40);
const side = z.int().min(0).max(most.side);
/** Null if no camera sees the area. */
const persons = z.int().min(0).max(most.persons).nullable();
const places = { persons, capacity: z.int().min(0).max(most.persons) };

export const cameraStates = ["ok", "covered", "dark", "bright", "off"] as const;
const state = z.enum(cameraStates);

/** Base64, which must start like a JPEG so that a browser gets nothing else. Empty if there is no picture. */
const jpeg = boundedText(Math.ceil(most.pictureBytes / 3) * 4).regex(/^(?:\/9j\/[A-Za-z0-9+/]*={0,2})?$/, "No JPEG");

const cameras = z.object({
  at: deviceTimeSchema,
  cameras: z.array(z.object({ id, name, state, width: side, height: side, jpeg })).max(most.cameras),
});
export type CamerasPreview = z.output<typeof cameras>;

const occupancy = z.object({
  at: deviceTimeSchema,
  coach: z.object(places),
  levels: z.array(z.object({ id, name, ...places })).max(most.levels),
  sections: z
    .array(z.object({ id, name, levelId: id, ...places, state: z.enum(["ok", "unknown"]) }))
    .max(most.sections),
  cameras: z.array(z.object({ id, name, persons, state })).max(most.cameras),
});
export type OccupancyPreview = z.output<typeof occupancy>;

const gps = z
  .object({
    at: deviceTimeSchema,
    /** `none`, or the quality of the fix, such as `2d` or `3d`. */
    fix: boundedText(16).check(z.minLength(1)),
    lat: z.number().min(-90).max(90).nullable(),
    lng: z.number().min(-180).max(180).nullable(),
    accuracyM: z.number().min(0).max(1_000_000).nullable(),
    speedMps: z.number().min(0).max(1000).nullable(),
    headingDeg: z.number().min(0).max(360).nullable(),
    satellites: z.int().min(0).max(200).nullable(),
  })
  .refine(({ fix, lat, lng }) => fix === "none" || (lat !== null && lng !== null), { error: "A fix has a position" });
export type GpsPreview = z.output<typeof gps>;

export const previewSchemas = { cameras, occupancy, gps } as const satisfies Record<PreviewKind, z.ZodType>;
