// Ids on the wire: UUIDs, and MAC addresses for sensors (docs/rules/api.md#ids).
import { z } from "zod";
import { boundedText } from "./bounded-text.ts";
import { parseMac } from "./mac.ts";

/** Accepts any case. Parsed to lower case, as in the database. */
export const uuid = z.uuid({ abort: true }).toLowerCase();
export type AccountId = string;
export type RoleId = string;

/** Accepts all spellings of a MAC address. Parsed to the canonical one. */
export const mac = boundedText(64).transform((text, ctx) => {
  const id = parseMac(text);
  if (id !== null) return id;
  ctx.addIssue({ code: "custom", message: "Not a sensor id" });
  return z.NEVER;
});

/**
 * Returns the id as used in topics and host names: only lower case letters and digits (docs/device-protocol.md#1-conventions).
 */
export function wireId(sensorId: string): string {
  return sensorId
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "")
    .replace(/^-+|-+$/g, "");
}

/** Drops ids that are not UUIDs and therefore can't match anything. */
export function filterUuids(ids: readonly string[]): string[] {
  return ids.filter((id) => uuid.safeParse(id).success);
}
