// Finds places: pasted coordinates first, then the external geocoder if configured, else the bundled places.
import type { GeocodeResult } from "@psp/contract/location/geocode.api.ts";
import type { Context } from "../context.ts";
import { bundledGeocoder, findPlaceNear } from "./bundled.adapter.ts";
import { normalizeName, cleanText } from "./fold.rules.ts";
import { maxResults, formatAddress, type Spot } from "./geocode.rules.ts";
import { createRateLimit } from "../kit/limits/rate-limit.ts";
import { createHttpGeocoder } from "./http.adapter.ts";
import { type Point, parsePasted } from "./pasted.rules.ts";
import { findZone } from "./zone-at.rules.ts";

const maxLength = 300;
const minLetters = 2;
/** A failed external geocoder is not used for this long, so that users do not wait at every keystroke. */
const failurePauseMs = 30_000;

/** Rate limits of the external geocoder; the bundled places handle the excess. */
const outsidePerAccount = { max: 60, windowMs: 60_000 };
const outsideOfAll = { max: 600, windowMs: 60_000 };

export type PlaceFinder = (text: string, accountId: string) => Promise<GeocodeResult[]>;
type AskGeocoder = (text: string, accountId: string) => Promise<readonly Spot[]>;

export function createPlaceFinder(ctx: Context): PlaceFinder {
  const ask = geocoderOf(ctx);
  return async (typed, accountId) => {
    const pasted = parsePasted(typed);
    if (pasted && "point" in pasted) return [await placeAt(pasted.point)];
    const text = cleanText(pasted ? pasted.words : typed, maxLength);
    if (text === null || normalizeName(text).replaceAll(/[^\p{L}]/gu, "").length < minLetters) return [];
    const spots = await ask(text, accountId);
    return Promise.all(spots.slice(0, maxResults).map((spot) => toFound(spot, { lat: spot.lat, lng: spot.lng })));
  };
}

/** Uses the external geocoder, but the bundled one after a failure and beyond the rate limits. */
function geocoderOf({ config, log, clock }: Context): AskGeocoder {
  if (config.geocoderUrl === null) return bundledGeocoder.find;
  const external = createHttpGeocoder({ url: config.geocoderUrl });
  const byAccount = createRateLimit(clock, outsidePerAccount.max, outsidePerAccount.windowMs);
  const all = createRateLimit(clock, outsideOfAll.max, outsideOfAll.windowMs);
  let pausedUntil = 0;
  return async (text, accountId) => {
    const isPaused = clock.now() < pausedUntil;
    if (isPaused || byAccount.take(accountId) > 0 || all.take("all") > 0) return bundledGeocoder.find(text);
    try {
      return await external.find(text);
    } catch (error) {
      pausedUntil = clock.now() + failurePauseMs;
      // The query is not logged, because an address is personal data.
      const reason = error instanceof Error ? error.message : "unknown";
      log.warn({ reason }, "the geocoder failed: the bundled places answer for half a minute");
      return bundledGeocoder.find(text);
    }
  };
}

async function placeAt(point: Point): Promise<GeocodeResult> {
  const near = await findPlaceNear(point.lat, point.lng);
  const nowhere: Spot = { street: null, zip: null, city: null, state: null, country: null, ...point };
  return toFound(near ?? nowhere, point);
}

async function toFound(spot: Spot, { lat, lng }: Point): Promise<GeocodeResult> {
  const { street, zip, city, state, country } = spot;
  const line = formatAddress(spot);
  return {
    formatted: line === "" ? `${lat}, ${lng}` : line,
    address: { street, zip, city, state, country, ...(line === "" ? {} : { formatted: line }) },
    geo: { type: "Point", coordinates: [lng, lat] },
    timezone: await findZone([lng, lat]),
  };
}
