// Ids as they travel: UUIDs for everything, MAC addresses for sensors (docs/rules/api.md#ids).
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";
import { parseMac } from "./mac.ts";

/** Any case on input; the parsed value is what the database holds and what ids are compared with. */
export const uuid = z.uuid({ abort: true }).toLowerCase();
export type AccountId = string;
export type RoleId = string;

/** A sensor id in any accepted spelling; the parsed value is canonical. */
export const mac = boundedText(64).transform((text, ctx) => {
  const id = parseMac(text);
  if (id !== null) return id;
  ctx.addIssue({ code: "custom", message: "Not a sensor id" });
  return z.NEVER;
});

/** The id as it appears in topics and host labels: lower case, letters and digits only (docs/device-protocol.md#1-conventions). */
export function wireId(sensorId: string): string {
  return sensorId
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "")
    .replace(/^-+|-+$/g, "");
}

/** The ids that can be UUIDs at all; others can't name anything, so a filter by them is empty. */
export function onlyUuids(ids: readonly string[]): string[] {
  return ids.filter((id) => uuid.safeParse(id).success);
}
