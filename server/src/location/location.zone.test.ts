// Tests a location's time zone: that of its point, else that of a country with a single zone, else the chosen one.
import {
  countryCodes,
  countryNameOf,
  canonicalZone,
  defaultZoneOf,
  zonesOfCountry,
} from "@psp/contract/location/country.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createWorld, type JsonObject, type Person, type Reply, type World } from "../testing/world.ts";

let world: World;
let customer: Person;
beforeAll(async () => {
  world = await createWorld();
  customer = await world.account("Harbour Stores", world.root, fullPermissions);
});
afterAll(() => world.stop());

const make = (location: JsonObject): Promise<Reply> =>
  world.call(customer, "POST", "/api/measurement", { body: { name: "Shop", owner: customer.id, location } });
const put = (id: string, location: JsonObject | null): Promise<Reply> =>
  world.call(customer, "PUT", `/api/measurement/${id}`, { body: { location } });
const zoneOf = (reply: Reply) => {
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.at("location.timezone");
};
const point = (lng: number, lat: number) => ({ geo: { type: "Point", coordinates: [lng, lat] } });
const inCountry = (country: string) => ({ address: { country } });
const newYear = Date.UTC(2026, 0, 1);

test("LO-02 countries with a single local time have one zone, others none", () => {
  const expected: Record<string, string | null> = {
    DE: "Europe/Berlin",
    FR: "Europe/Paris",
    IN: "Asia/Kolkata",
    JP: "Asia/Tokyo",
    IS: "Atlantic/Reykjavik",
    AR: "America/Argentina/Buenos_Aires",
    VN: "Asia/Ho_Chi_Minh", // cspell:disable-line
    NP: "Asia/Kathmandu",
    KZ: "Asia/Almaty",
    XK: "Europe/Belgrade",
    US: null,
    AU: null,
    ES: null,
    PT: null,
    CL: null,
    NZ: null,
    BV: null,
  };
  for (const [code, zone] of Object.entries(expected))
    expect([code, defaultZoneOf(code, newYear)]).toEqual([code, zone]);
  expect(zonesOfCountry("DE")).toEqual(["Europe/Berlin", "Europe/Busingen"]);
  for (const code of countryCodes) {
    const zone = defaultZoneOf(code, newYear);
    if (zone !== null) expect(canonicalZone(zone), countryNameOf(code)).toBe(zone);
  }
});

test("LO-02 zones have present names in any case; offsets are refused", () => {
  expect(canonicalZone("europe/berlin")).toBe("Europe/Berlin");
  expect(canonicalZone("Asia/Calcutta")).toBe("Asia/Kolkata");
  expect(canonicalZone("Asia/Kolkata")).toBe("Asia/Kolkata");
  expect(canonicalZone("US/Eastern")).toBe("America/New_York");
  expect(canonicalZone("UTC")).toBe("UTC");
  for (const bad of ["+01:00", "Mars/Olympus", "", "Europe", "a b", "Europe/Berlin\u0000", "__proto__"])
    expect(canonicalZone(bad), bad).toBeNull();
});

test("LO-02 without a point the zone follows from the country, whatever the client sends", async () => {
  const table: [string, string][] = [
    ["Germany", "Europe/Berlin"],
    ["germany", "Europe/Berlin"],
    ["France", "Europe/Paris"],
    ["India", "Asia/Kolkata"],
    ["Japan", "Asia/Tokyo"],
    ["Iceland", "Atlantic/Reykjavik"],
    ["Argentina", "America/Argentina/Buenos_Aires"],
  ];
  for (const [country, zone] of table) {
    expect(zoneOf(await make(inCountry(country))), country).toBe(zone);
    expect(zoneOf(await make({ ...inCountry(country), timezone: "Pacific/Apia" })), country).toBe(zone);
    expect(zoneOf(await make({ ...inCountry(country), timezone: "Mars/Olympus" })), country).toBe(zone);
  }
  expect(zoneOf(await make({ ...inCountry("Germany"), ...point(8.69, 47.697) }))).toBe("Europe/Busingen");
  expect(zoneOf(await make({ ...inCountry("Germany"), ...point(-74, 40.7), timezone: "Mars/Olympus" }))).toBe(
    "America/New_York",
  );
});

test("LO-02 in countries with several times the client chooses an existing zone", async () => {
  for (const country of ["United States", "United States of America", "Australia", "Atlantis"]) {
    expect(zoneOf(await make(inCountry(country))), country).toBeNull();
    expect(zoneOf(await make({ ...inCountry(country), timezone: "america/denver" })), country).toBe("America/Denver");
    const bad = await make({ ...inCountry(country), timezone: "Mars/Olympus" });
    expect([bad.status, bad.code, bad.at("details.field")]).toEqual([400, 102, "location.timezone"]);
    expect((await make({ ...inCountry(country), timezone: "+02:00" })).code).toBe(102);
  }
  expect(zoneOf(await make({ timezone: "Asia/Tokyo" }))).toBe("Asia/Tokyo");
});

test("LO-02 a chosen zone stays until the place or the choice changes", async () => {
  const { id } = await make({ ...inCountry("United States"), timezone: "America/Denver" });
  expect(zoneOf(await put(id, { address: { street: "Main Street 1" } }))).toBe("America/Denver");
  expect(zoneOf(await put(id, { timezone: "America/Phoenix" }))).toBe("America/Phoenix");
  expect(zoneOf(await world.call(customer, "PUT", `/api/measurement/${id}`, { body: { name: "Renamed" } }))).toBe(
    "America/Phoenix",
  );
  const refused = await put(id, { timezone: "Nowhere/None" });
  expect(refused.code).toBe(102);
  expect(zoneOf(await world.call(customer, "GET", `/api/measurement/${id}`))).toBe("America/Phoenix");
  expect(zoneOf(await put(id, { timezone: null }))).toBeNull();
  await put(id, { timezone: "America/Denver" });
  // A zone chosen in one country does not apply to the next.
  expect(zoneOf(await put(id, inCountry("Canada")))).toBeNull();
  expect(zoneOf(await put(id, inCountry("Italy")))).toBe("Europe/Rome");
  expect(zoneOf(await put(id, point(139.7, 35.7)))).toBe("Asia/Tokyo");
  expect(zoneOf(await put(id, { geo: null }))).toBe("Europe/Rome");
  expect(zoneOf(await put(id, { ...point(139.7, 35.7), address: null }))).toBe("Asia/Tokyo");
  // The zone was derived from the removed point.
  expect(zoneOf(await put(id, { geo: null }))).toBeNull();
  expect(zoneOf(await put(id, { timezone: "Asia/Tokyo" }))).toBe("Asia/Tokyo");
  expect(zoneOf(await put(id, null))).toBeNull();
});
