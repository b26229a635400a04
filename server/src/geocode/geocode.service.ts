// Finding places: pasted coordinates first, then the external geocoder where one is configured, else the bundled places.
import type { FoundPlace } from "@psp/contract/location/geocode.api.ts";
import type { Context } from "../context.ts";
import { bundledGeocoder, placeNear } from "./bundled.adapter.ts";
import { fold, plainText } from "./fold.rules.ts";
import { type Geocoder, maxAnswers, oneLine, type Spot } from "./geocode.rules.ts";
import { createHttpGeocoder } from "./http.adapter.ts";
import { type Point, readPasted } from "./pasted.rules.ts";
import { zoneAt } from "./zone.rules.ts";

const maxLength = 300;
const minLetters = 2;
/** How long an external geocoder that failed is left alone: no one waits for it at every letter. */
const pauseMs = 30_000;

export type PlaceFinder = (text: string) => Promise<FoundPlace[]>;

/** Finds places for this process, by its configuration. */
export function createPlaceFinder(ctx: Context): PlaceFinder {
  const geocoder = geocoderOf(ctx);
  return async (typed) => {
    const pasted = readPasted(typed);
    if (pasted && "point" in pasted) return [await placeAt(pasted.point)];
    const text = plainText(pasted ? pasted.words : typed, maxLength);
    if (text === null || fold(text).replaceAll(/[^\p{L}]/gu, "").length < minLetters) return [];
    const spots = await geocoder.find(text);
    return Promise.all(spots.slice(0, maxAnswers).map((spot) => toFound(spot, { lat: spot.lat, lng: spot.lng })));
  };
}

/** The external one, and the bundled one while it fails. */
function geocoderOf({ config, log, clock }: Context): Geocoder {
  if (config.geocoderUrl === null) return bundledGeocoder;
  const external = createHttpGeocoder({ url: config.geocoderUrl });
  let pausedUntil = 0;
  return {
    async find(text) {
      if (clock.now() < pausedUntil) return bundledGeocoder.find(text);
      try {
        return await external.find(text);
      } catch (error) {
        pausedUntil = clock.now() + pauseMs;
        // Not what was looked for: an address is personal data.
        const reason = error instanceof Error ? error.message : "unknown";
        log.warn({ reason }, "the geocoder failed: the bundled places answer for half a minute");
        return bundledGeocoder.find(text);
      }
    },
  };
}

/** Exactly this point, with the city that it is in or near. */
async function placeAt(point: Point): Promise<FoundPlace> {
  const near = await placeNear(point.lat, point.lng);
  const nowhere: Spot = { street: null, zip: null, city: null, state: null, country: null, ...point };
  return toFound(near ?? nowhere, point);
}

async function toFound(spot: Spot, { lat, lng }: Point): Promise<FoundPlace> {
  const { street, zip, city, state, country } = spot;
  const line = oneLine(spot);
  return {
    formatted: line === "" ? `${lat}, ${lng}` : line,
    address: { street, zip, city, state, country, ...(line === "" ? {} : { formatted: line }) },
    geo: { type: "Point", coordinates: [lng, lat] },
    timezone: await zoneAt([lng, lat]),
  };
}
