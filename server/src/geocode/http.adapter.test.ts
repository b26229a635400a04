// Tests the client for external geocoders, including incomplete and invalid responses.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import pino from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createStillClock } from "../testing/snapshot.ts";
import { createWorld, type World } from "../testing/world.ts";
import { createHttpGeocoder, parseSpots } from "./http.adapter.ts";

type Answer = (request: IncomingMessage, reply: ServerResponse) => void;
let answer: Answer = (_, reply) => reply.end("[]");
const asked: URL[] = [];
const server = createServer((request, reply) => {
  const url = new URL(request.url ?? "", "http://geocoder");
  // Not recorded, because an abandoned request can arrive during the next test.
  if (url.pathname === "/silent") return;
  if (url.pathname === "/unfinished") return void reply.write("[");
  asked.push(url);
  answer(request, reply);
});
const clock = createStillClock();
const logged: string[] = [];
let base = "";
let world: World;

beforeAll(async () => {
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const log = pino({ level: "warn" }, { write: (line) => void logged.push(line) });
  world = await createWorld({ env: { GEOCODER_URL: `${base}/search?key=secret` }, clock, log });
});
afterAll(async () => {
  await world.stop();
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
beforeEach(() => {
  asked.length = 0;
  logged.length = 0;
  clock.moveTo(clock.now() + 60_000);
});

const json =
  (value: unknown): Answer =>
  (_, reply) => {
    reply.setHeader("content-type", "application/json");
    reply.end(JSON.stringify(value));
  };
const find = async (q: string) => {
  const reply = await world.call(world.root, "GET", `/api/geocode?${new URLSearchParams({ q }).toString()}`);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.list;
};
const row = {
  lat: "53.5437",
  lon: "9.9668",
  display_name: "whatever",
  address: {
    road: "Hafenstraße",
    house_number: "5",
    postcode: "20359",
    city: "Hamburg",
    state: "Hamburg",
    country_code: "de",
  },
};

test("LO-02 Nominatim's results become places with our country names and zones", async () => {
  answer = json([row, { ...row, address: { town: "Kiel", country: "Nowhere", country_code: "zz" } }]);
  expect(await find("Hafenstraße 5")).toEqual([
    {
      formatted: "Hafenstraße 5, 20359 Hamburg, Germany",
      address: {
        street: "Hafenstraße 5",
        zip: "20359",
        city: "Hamburg",
        state: "Hamburg",
        country: "Germany",
        formatted: "Hafenstraße 5, 20359 Hamburg, Germany",
      },
      geo: { type: "Point", coordinates: [9.9668, 53.5437] },
      timezone: "Europe/Berlin",
    },
    expect.objectContaining({ formatted: "Kiel", address: expect.objectContaining({ city: "Kiel", country: null }) }),
  ]);
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
    key: "secret",
    q: "Hafenstraße 5",
    limit: "10",
    format: "jsonv2",
    addressdetails: "1",
    "accept-language": "en",
  });
  await find("52.52, 13.405");
  expect(asked).toHaveLength(1);
});

test("LO-02 Photon has its own parameters and format", async () => {
  const properties = { street: "Hafenstraße", housenumber: "5", postcode: "20359", city: "Hamburg", countrycode: "DE" };
  answer = json({
    features: [
      { geometry: { coordinates: [9.9668, 53.5437] }, properties },
      { geometry: { coordinates: [13.4, 52.5] }, properties: { name: "Berlin", type: "city", countrycode: "DE" } },
      { geometry: { coordinates: [200, 52.5] }, properties },
    ],
  });
  const spots = await createHttpGeocoder({ url: `${base}/api` }).find("Hafenstraße 5");
  expect(spots).toEqual([
    {
      street: "Hafenstraße 5",
      zip: "20359",
      city: "Hamburg",
      state: null,
      country: "Germany",
      lng: 9.9668,
      lat: 53.5437,
    },
    { street: null, zip: null, city: "Berlin", state: null, country: "Germany", lng: 13.4, lat: 52.5 },
  ]);
  expect([...(asked[0]?.searchParams.keys() ?? [])].toSorted()).toEqual(["lang", "limit", "q"]);
});

test("LO-02 hostile results are cut, cleaned and skipped one by one", async () => {
  const evil = `<img src=x onerror=alert(1)>\u0000\u202E${"é\u0301".repeat(9)} ${"x".repeat(10_000)}`;
  answer = json([
    {
      ...row,
      address: { road: evil, house_number: evil, postcode: evil, city: evil, state: evil, country_code: evil },
    },
    { ...row, lat: "NaN" },
    { ...row, lat: "1e400" },
    { ...row, lat: 90.1 },
    { ...row, lon: null },
    { ...row, address: "text" },
    { ...row, address: { city: { toString: "x" }, country_code: ["DE"], __proto__: { city: "x" } } },
    null,
    7,
    "place",
    ...Array.from({ length: 500 }, () => row),
  ]);
  const places = await find("Hafenstraße 5");
  expect(places).toHaveLength(3);
  const [first] = places;
  expect(JSON.stringify(first)).not.toMatch(/[<>]|\\u0000|\u202E/);
  expect(JSON.stringify(first).length).toBeLessThan(1500);
  const made = await world.call(world.root, "POST", "/api/measurement", {
    body: { name: "Found", owner: world.root.id, location: { address: first?.["address"], geo: first?.["geo"] } },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  expect(logged).toEqual([]);
});

test.for<[string, Answer]>([
  ["no list", json({ error: "no" })],
  ["broken JSON", (_, reply) => void reply.end("[{")],
  ["an error", (_, reply) => void reply.writeHead(500).end("[]")],
  ["a refusal", (_, reply) => void reply.writeHead(429).end("slow down")],
  ["another address", (_, reply) => void reply.writeHead(302, { location: `${base}/elsewhere` }).end()],
  ["a cut connection", (request) => void request.socket.destroy()],
  ["more than anybody reads", (_, reply) => void reply.end(`["${"x".repeat(600_000)}"]`)],
  [
    "without an end",
    (_, reply) => {
      const more = () => {
        while (!reply.destroyed && reply.write("x".repeat(65_536)));
      };
      reply.on("drain", more);
      more();
    },
  ],
])(
  "LO-02 a geocoder that answers with %s is replaced by the bundled places, with a line in the log",
  async ([, bad]) => {
    answer = bad;
    expect((await find("Hamburg"))[0]).toMatchObject({ formatted: "Hamburg, Germany" });
    expect(asked).toHaveLength(1);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("the geocoder failed");
    expect(logged[0]).not.toMatch(/Hamburg|secret/);

    answer = json([row]);
    await find("Hamburg");
    expect(asked).toHaveLength(1);
    clock.moveTo(clock.now() + 30_000);
    expect((await find("Hamburg"))[0]).toMatchObject({ address: { street: "Hafenstraße 5" } });
    expect(asked).toHaveLength(2);
  },
);

test("LO-02 a geocoder that does not respond times out", async () => {
  const find = (url: string) => createHttpGeocoder({ url, timeoutMs: 20 }).find("Hamburg");
  await expect(find(`${base}/silent`)).rejects.toThrow(/timeout/i);
  await expect(find(`${base}/unfinished`)).rejects.toThrow();
});

test("LO-02 T-23 an account uses the external geocoder 60 times a minute, then the bundled places", async () => {
  answer = json([row]);
  await Promise.all(Array.from({ length: 60 }, (_, n) => find(`Hafenstraße ${n}`)));
  expect(asked).toHaveLength(60);
  expect((await find("Hamburg"))[0]).toMatchObject({ formatted: "Hamburg, Germany" });
  expect([asked.length, logged]).toEqual([60, []]);
  const other = await world.account("Other", world.root, null);
  expect((await world.call(other, "GET", "/api/geocode?q=Hamburg")).status).toBe(200);
  expect(asked).toHaveLength(61);
  clock.moveTo(clock.now() + 60_000);
  await find("Hamburg");
  expect(asked).toHaveLength(62);
});

test("LO-02 a response that is no list is an error; an empty one is not", async () => {
  expect(parseSpots([])).toEqual([]);
  expect(parseSpots({ features: [] })).toEqual([]);
  for (const bad of [null, {}, "x", 7, { features: {} }]) expect(() => parseSpots(bad)).toThrow();
  answer = json([]);
  expect(await find("Hamburg")).toEqual([]);
  expect(logged).toEqual([]);
});
