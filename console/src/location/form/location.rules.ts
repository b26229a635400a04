// Validation of the location form, with messages of the contract's schema (LO-02).
import { serverErrors } from "@psp/contract/errors.ts";
import {
  addressSchema,
  externalIdSchema,
  locationNameSchema,
  locationTag,
  maxTags,
} from "@psp/contract/location/location.ts";
import { hasForbiddenCharacters } from "@psp/contract/kit/text-bounds.ts";
import type { z } from "zod";
import { checkOpening } from "../../opening/opening.rules.ts";
import { addressParts, type LocationFields, parseCoordinate } from "../location.facts.ts";
import { locationText } from "../location.text.ts";

/** `sensor` exists for new locations only. */
export type LocationFieldErrors = Partial<Record<keyof LocationFields | "sensor", string>>;

/** The message of the schema; forbidden characters have the server's message (docs/rules/api.md#input-rule). */
function faultOfText(schema: z.ZodType, text: string): string | undefined {
  if (hasForbiddenCharacters(text)) return serverErrors.invalidInput.message;
  return schema.safeParse(text).error?.issues[0]?.message;
}

function coordinate(text: string, limit: number, sentence: string): string | undefined {
  if (text.trim() === "") return undefined;
  const value = parseCoordinate(text);
  return Number.isNaN(value) || Math.abs(value) > limit ? sentence : undefined;
}

export function checkTags(tags: readonly string[]): string | undefined {
  if (tags.length > maxTags) return locationText.mostTags(maxTags);
  return tags.map((tag) => faultOfText(locationTag, tag)).find((message) => message !== undefined);
}

export function checkLocation(fields: LocationFields): LocationFieldErrors {
  const errors: LocationFieldErrors = {};
  const put = (field: keyof LocationFieldErrors, message: string | undefined) => {
    if (message !== undefined) errors[field] = message;
  };
  put("name", faultOfText(locationNameSchema, fields.name));
  if (fields.owner === null) errors.owner = locationText.ownerRequired;
  put("externalID", faultOfText(externalIdSchema, fields.externalID));
  for (const part of addressParts) put(part, faultOfText(addressSchema.shape[part], fields[part]));
  put("latitude", coordinate(fields.latitude, 90, locationText.badLatitude));
  put("longitude", coordinate(fields.longitude, 180, locationText.badLongitude));
  if ((fields.latitude.trim() === "") !== (fields.longitude.trim() === "")) {
    errors[fields.latitude.trim() === "" ? "latitude" : "longitude"] = locationText.bothCoordinates;
  }
  put("tags", checkTags(fields.tags));
  put("openingHours", Object.values(checkOpening(fields.openingHours))[0]);
  return errors;
}
