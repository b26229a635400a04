// Tests the validation of the location form (LO-02), and the conversion of the address.
import { addressSchema } from "@psp/contract/location/location.ts";
import { expect, test } from "vitest";
import { emptyLocationFields, type LocationFields, toLocationData } from "../location.facts.ts";
import { formatAddress } from "../../entity/reference/addressLine.ts";
import { checkLocation } from "./location.rules.ts";

const good: LocationFields = { ...emptyLocationFields, name: "Market square", owner: { id: "o", name: "Owner" } };

test.each<[string, Partial<LocationFields>, object]>([
  ["nothing wrong", {}, {}],
  ["no name", { name: "  " }, { name: "The name is required" }],
  ["a short name", { name: "ab" }, { name: "The name must be at least 3 characters long" }],
  ["brackets", { name: "a<b>c" }, { name: "Invalid input. Remove special characters like '<>', '[]', '{}'." }],
  [
    "brackets in the city",
    { city: "[x]" },
    { city: "Invalid input. Remove special characters like '<>', '[]', '{}'." },
  ],
  ["a name that is too long", { name: "a".repeat(201) }, { name: "At most 200 characters" }],
  ["a street as long as possible", { street: "a".repeat(200) }, {}],
  ["a street that is too long", { street: "a".repeat(201) }, { street: "At most 200 characters" }],
  ["a ZIP code that is too long", { zip: "1".repeat(21) }, { zip: "At most 20 characters" }],
  ["a tag that is too long", { tags: ["a", "b".repeat(101)] }, { tags: "At most 100 characters" }],
  ["no owner", { owner: null }, { owner: "The owner is required" }],
  ["half a position", { latitude: "52.5" }, { longitude: "Enter both latitude and longitude" }],
  ["beyond the pole", { latitude: "90.1", longitude: "0" }, { latitude: "Enter a number from -90 to 90" }],
  [
    "no number",
    { latitude: "1e1", longitude: "181" },
    { latitude: "Enter a number from -90 to 90", longitude: "Enter a number from -180 to 180" },
  ],
  ["a comma for the point", { latitude: "-36,85", longitude: "+174,76" }, {}],
])("%s", (_, change, errors) => {
  expect(checkLocation({ ...good, ...change })).toEqual(errors);
});

test("the position travels as GeoJSON, longitude first; empty fields as null", () => {
  expect(toLocationData({ ...good, latitude: "52,5", longitude: "13.4", city: " Berlin " })).toEqual({
    address: {
      street: null,
      zip: null,
      city: "Berlin",
      state: null,
      country: null,
      onSiteInfo: null,
      formatted: "Berlin",
    },
    geo: { type: "Point", coordinates: [13.4, 52.5] },
  });
  expect(toLocationData(good)).toEqual({ address: null, geo: null });
});

test("LO-02 the single line of a long address fits the limit of the server", () => {
  const long = { ...good, street: "a".repeat(200), city: "b".repeat(100), onSiteInfo: "c".repeat(500) };
  expect(addressSchema.safeParse(toLocationData(long).address).success).toBe(true);
});

test("LO-02 the line of an address names a city that is its own state once", () => {
  const berlin = { street: "Hauptstraße 5", zip: "10115", city: "Berlin", state: "Berlin", country: "Germany" };
  expect(formatAddress(berlin)).toBe("Hauptstraße 5, 10115 Berlin, Germany");
  expect(formatAddress({ ...berlin, city: "Potsdam", state: "Brandenburg" })).toContain(
    "Potsdam, Brandenburg, Germany",
  );
});
