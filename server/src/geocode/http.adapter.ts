// Client for external geocoders with the API of Nominatim or Photon; their responses are not trusted.
import { z } from "zod";
import { cleanSpot, toCountryName, type Geocoder, maxResults, type Spot } from "./geocode.rules.ts";

export type HttpGeocoderOptions = { url: string; timeoutMs?: number };

const defaultTimeoutMs = 3_000;
const maxBytes = 512 * 1024;

/** Throws on timeout, or if the response is not a list of places. */
export function createHttpGeocoder({ url, timeoutMs = defaultTimeoutMs }: HttpGeocoderOptions): Geocoder {
  // Photon refuses unknown parameters; its URL ends with /api.
  const isPhoton = /\/api\/?$/.test(new URL(url).pathname);
  const asked = isPhoton
    ? { limit: String(maxResults), lang: "en" }
    : { limit: String(maxResults), format: "jsonv2", addressdetails: "1", "accept-language": "en" };
  return {
    async find(text) {
      const target = new URL(url);
      for (const [name, value] of Object.entries({ q: text, ...asked })) target.searchParams.set(name, value);
      const signal = AbortSignal.timeout(timeoutMs);
      // Redirects are refused, because they could lead into the internal network.
      const headers = { accept: "application/json", "user-agent": "PS.Platform" };
      const reply = await fetch(target, { signal, redirect: "error", headers });
      const body = reply.ok ? await bounded(reply) : await reply.body?.cancel();
      if (body === undefined) throw new Error(`The geocoder answered ${reply.status}`);
      return parseSpots(JSON.parse(body) as unknown);
    },
  };
}

async function bounded(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw new Error(`The geocoder's answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const text = z.string().nullish().catch(null);
const degrees = z.union([
  z.number(),
  z
    .string()
    .max(40)
    .regex(/^\s*[+-]?\d/)
    .transform(Number),
]);
const lat = degrees.pipe(z.number().min(-90).max(90));
const lng = degrees.pipe(z.number().min(-180).max(180));

const nominatim = z.object({
  lat,
  lon: lng,
  name: text,
  address: z
    .object({
      road: text,
      pedestrian: text,
      house_number: text,
      postcode: text,
      city: text,
      town: text,
      village: text,
      municipality: text,
      hamlet: text,
      county: text,
      state: text,
      country_code: text,
    })
    .nullish()
    .catch(null),
});

const photon = z.object({
  geometry: z.object({ coordinates: z.tuple([lng, lat]) }),
  properties: z.object({
    name: text,
    osm_key: text,
    type: text,
    street: text,
    housenumber: text,
    postcode: text,
    city: text,
    district: text,
    county: text,
    state: text,
    countrycode: text,
  }),
});

const answer = z.union([z.array(z.unknown()), z.object({ features: z.array(z.unknown()) })]);

/** Skips invalid entries; throws if the response is not a list. */
export function parseSpots(json: unknown): Spot[] {
  const found = answer.parse(json);
  const rows = Array.isArray(found) ? found : found.features;
  const read = Array.isArray(found) ? ofNominatim : ofPhoton;
  return rows.slice(0, maxResults).flatMap((row) => {
    const spot = read(row);
    return spot ? [cleanSpot(spot)] : [];
  });
}

function ofNominatim(row: unknown): Spot | null {
  const parsed = nominatim.safeParse(row);
  if (!parsed.success) return null;
  const { lat: north, lon, name, address } = parsed.data;
  const a = address ?? {};
  return {
    street: line(a.road ?? a.pedestrian, a.house_number),
    zip: a.postcode ?? null,
    city: a.city ?? a.town ?? a.village ?? a.municipality ?? a.hamlet ?? a.county ?? name ?? null,
    state: a.state ?? null,
    country: toCountryName(a.country_code),
    lat: north,
    lng: lon,
  };
}

function ofPhoton(row: unknown): Spot | null {
  const parsed = photon.safeParse(row);
  if (!parsed.success) return null;
  const { geometry, properties: p } = parsed.data;
  const isTown = p.type === "city" || p.osm_key === "place";
  const isStreet = p.type === "street" || p.osm_key === "highway";
  const [east, north] = geometry.coordinates;
  return {
    street: line(p.street ?? (isStreet ? p.name : null), p.housenumber),
    zip: p.postcode ?? null,
    city: p.city ?? (isTown ? p.name : null) ?? p.district ?? p.county ?? null,
    state: p.state ?? null,
    country: toCountryName(p.countrycode),
    lat: north,
    lng: east,
  };
}

const line = (street: string | null | undefined, number: string | null | undefined) =>
  street ? [street, number].filter(Boolean).join(" ") : null;
