// Ids on the wire: UUIDs, and MAC addresses for sensors (docs/rules/api.md#ids).
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";
import { parseMac } from "./mac.ts";

/** Any case is accepted; parsed to lower case as in the database. */
export const uuid = z.uuid({ abort: true }).toLowerCase();
export type AccountId = string;
export type RoleId = string;

/** Any accepted spelling; parsed to the canonical one. */
export const mac = boundedText(64).transform((text, ctx) => {
  const id = parseMac(text);
  if (id !== null) return id;
  ctx.addIssue({ code: "custom", message: "Not a sensor id" });
  return z.NEVER;
});

/** The id in topics and host names: lower case letters and digits only (docs/device-protocol.md#1-conventions). */
export function wireId(sensorId: string): string {
  return sensorId
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "")
    .replace(/^-+|-+$/g, "");
}

/** Drops ids that can't be UUIDs and therefore match nothing. */
export function filterUuids(ids: readonly string[]): string[] {
  return ids.filter((id) => uuid.safeParse(id).success);
}
