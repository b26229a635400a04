// Validation of the location form, with messages of the contract's schema (LO-02).
import { serverErrors } from "@psp/contract/errors.ts";
import { locationName } from "@psp/contract/location/location.ts";
import { hasForbiddenCharacters } from "@psp/contract/kit/text-bounds.ts";
import { addressParts, type LocationFields, parseCoordinate } from "../location.facts.ts";
import { locationText } from "../location.text.ts";

/** `sensor` exists for new locations only. */
export type FieldErrors = Partial<Record<keyof LocationFields | "sensor", string>>;

function coordinate(text: string, limit: number, sentence: string): string | undefined {
  if (text.trim() === "") return undefined;
  const value = parseCoordinate(text);
  return Number.isNaN(value) || Math.abs(value) > limit ? sentence : undefined;
}

export function checkLocation(fields: LocationFields): FieldErrors {
  const errors: FieldErrors = {};
  const name = locationName.safeParse(fields.name);
  if (!name.success)
    errors.name = hasForbiddenCharacters(fields.name)
      ? serverErrors.invalidInput.message
      : (name.error.issues[0]?.message ?? "");
  if (fields.owner === null) errors.owner = locationText.ownerRequired;
  for (const part of addressParts)
    if (hasForbiddenCharacters(fields[part])) errors[part] = serverErrors.invalidInput.message;
  const latitude = coordinate(fields.latitude, 90, locationText.badLatitude);
  const longitude = coordinate(fields.longitude, 180, locationText.badLongitude);
  if (latitude !== undefined) errors.latitude = latitude;
  if (longitude !== undefined) errors.longitude = longitude;
  if ((fields.latitude.trim() === "") !== (fields.longitude.trim() === "")) {
    errors[fields.latitude.trim() === "" ? "latitude" : "longitude"] = locationText.bothCoordinates;
  }
  if (fields.tags.some(hasForbiddenCharacters)) errors.tags = serverErrors.invalidInput.message;
  return errors;
}
