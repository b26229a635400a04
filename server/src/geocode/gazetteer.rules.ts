// Index of the bundled places by name, by prefix, and by distance to a point.
import { countryCodes } from "@psp/contract/location/country.ts";
import { normalizeName, withoutUmlautDigraphs } from "./fold.rules.ts";
import { notableCities, otherCityNames } from "./notable.rules.ts";

export type RawPlace = {
  name: string;
  lat: string;
  lng: string;
  country: string;
  admin1: string;
  admin2: string;
};
export type RawRegion = { code: string; name: string };

export type Gazetteer = ReturnType<typeof createGazetteer>;

/** Languages in which country names are recognized. */
const languages = ["en", "de", "fr", "es", "it", "nl", "pl", "pt", "sv", "da"];
const alsoCalled: Readonly<Record<string, string>> = {
  usa: "US",
  "u s a": "US",
  "united states of america": "US",
  america: "US",
  uk: "GB",
  "u k": "GB",
  "great britain": "GB",
  uae: "AE",
  holland: "NL",
  "czech republic": "CZ",
  turkey: "TR",
  brd: "DE",
};

const ranks = { capital: 2000, notable: 1000, namesState: 200, namesDistrict: 100, mostNeighbors: 99 };
const cellsPerDegree = 2;
const columns = 360 * cellsPerDegree;
const mostRanked = 100;
const earthKm = 6371;
const kmPerDegree = 111.2;

export function createGazetteer(
  places: readonly RawPlace[],
  states: readonly RawRegion[],
  districts: readonly RawRegion[],
) {
  const regions = createRegions(places, states, districts);
  const { stateOf, districtOf } = regions;
  const latitudes = Float64Array.from(places, ({ lat }) => Number(lat));
  const longitudes = Float64Array.from(places, ({ lng }) => Number(lng));
  const normalized = places.map(({ name }) => normalizeName(name));
  const cells = cellsOf(latitudes, longitudes);
  const ranksKnown = new Int16Array(places.length).fill(-1);
  const notable = notableIds(places, normalized);
  const names = createNameIndex(normalized, notable);

  /** Computed lazily, because most places are never queried. */
  function rankOf(id: number): number {
    const known = ranksKnown[id] ?? 0;
    if (known >= 0) return known;
    const name = normalized[id] ?? "";
    const isState = ` ${regions.normalized(stateOf(id))} `.includes(` ${name} `);
    const isDistrict = regions.normalized(districtOf(id)) === name;
    const neighbors = cells.get(cellOf(latitudes[id] ?? 0, longitudes[id] ?? 0))?.length ?? 0;
    const found =
      (notable.get(id) ?? 0) +
      (isState ? ranks.namesState : 0) +
      (isDistrict ? ranks.namesDistrict : 0) +
      Math.min(ranks.mostNeighbors, neighbors);
    ranksKnown[id] = found;
    return found;
  }

  /** The nearest place within `maxKm`; a well-known city takes precedence over its districts. */
  function nearest(lat: number, lng: number, maxKm: number): number | null {
    const reach = maxKm / kmPerDegree;
    const rows = Math.ceil(reach * cellsPerDegree);
    const width = Math.min(
      180,
      reach / Math.max(0.001, Math.cos((Math.min(89.9, Math.abs(lat) + reach) * Math.PI) / 180)),
    );
    const around = Math.min(columns / 2, Math.ceil(width * cellsPerDegree));
    let [best, bestKm] = [null as number | null, maxKm];
    for (let row = -rows; row <= rows; row += 1)
      for (let column = -around; column <= around; column += 1)
        for (const id of cells.get(cellOf(lat + row / cellsPerDegree, lng + column / cellsPerDegree)) ?? []) {
          const km = kmBetween(lat, lng, latitudes[id] ?? 0, longitudes[id] ?? 0);
          const felt = notable.has(id) ? Math.max(0, km - quarterKm) : km;
          if (km > maxKm || felt > bestKm) continue;
          [best, bestKm] = [id, felt];
        }
    return best;
  }

  return {
    exact: (text: string) => names.find(text, true),
    startingWith: (text: string) => names.find(text, false),
    liesIn: regions.liesIn,
    isCountry: regions.isCountry,
    nearest,
    /** Sorts places by rank, then by name, country and state. Drops those beyond the number that is ever shown. */
    byRank(some: readonly number[]) {
      const likeliest = some.toSorted((a, b) => rankOf(b) - rankOf(a)).slice(0, mostRanked);
      return likeliest.sort((a, b) => rankOf(b) - rankOf(a) || orderOf(a).localeCompare(orderOf(b), "en"));
    },
    place: (id: number) => ({
      city: places[id]?.name ?? "",
      state: stateOf(id),
      countryCode: places[id]?.country ?? "",
      lat: latitudes[id] ?? 0,
      lng: longitudes[id] ?? 0,
    }),
  };

  function orderOf(id: number): string {
    return `${places[id]?.name} ${places[id]?.country} ${stateOf(id)}`;
  }
}

/** Enough for two of the longest region names. */
const maxRegionWords = 12;

function createRegions(places: readonly RawPlace[], states: readonly RawRegion[], districts: readonly RawRegion[]) {
  const countries = countryWords();
  const stateNames = new Map(states.map(({ code, name }) => [code, name.replace(/^State of /, "")]));
  const districtNames = new Map(districts.map(({ code, name }) => [code, name]));
  const knownFolds = new Map<string, string>();
  /** Cached, because thousands of places share a region. */
  const foldedRegion = (name: string | null) => {
    if (name === null) return "";
    const known = knownFolds.get(name) ?? normalizeName(name);
    knownFolds.set(name, known);
    return known;
  };
  const stateOf = (id: number) => stateNames.get(`${places[id]?.country}.${places[id]?.admin1}`) ?? null;
  const districtOf = (id: number) => {
    const place = places[id];
    return place ? (districtNames.get(`${place.country}.${place.admin1}.${place.admin2}`) ?? null) : null;
  };

  /** Whether the place lies in the region that `text` names: a country, state or district, or two of these. */
  function liesIn(id: number, text: string): boolean {
    const words = normalizeName(text).split(" ");
    // Bounds the cost: this runs for every candidate place.
    if (words.length > maxRegionWords) return false;
    const inside = (name: string): boolean => {
      const place = places[id];
      if (!place) return false;
      const code = name.toUpperCase();
      if (countries.get(name) === place.country || place.country === code) return true;
      if (/^[A-Z]{2,3}$/.test(place.admin1) && place.admin1 === code) return true;
      return foldedRegion(stateOf(id)) === name || foldedRegion(districtOf(id)) === name;
    };
    if (inside(words.join(" "))) return true;
    return words.some((_, at) => at > 0 && inside(words.slice(0, at).join(" ")) && inside(words.slice(at).join(" ")));
  }

  return {
    normalized: foldedRegion,
    stateOf,
    districtOf,
    liesIn,
    isCountry: (text: string) => countries.has(normalizeName(text)),
  };
}

function createNameIndex(normalized: readonly string[], notable: ReadonlyMap<number, number>) {
  const { keys, ids } = sortedNames(normalized, notable);

  function firstAt(key: string): number {
    let [low, high] = [0, keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function named(key: string, isWhole: boolean): number[] {
    const found = new Set<number>();
    for (let at = firstAt(key); at < keys.length; at += 1) {
      const name = keys[at] ?? "";
      if (isWhole ? name !== key : !name.startsWith(key)) break;
      found.add(ids[at] ?? 0);
    }
    return [...found];
  }
  function find(text: string, isWhole: boolean): number[] {
    const key = normalizeName(text);
    const found = key === "" ? [] : named(key, isWhole);
    const plain = found.length === 0 ? withoutUmlautDigraphs(key) : null;
    return plain === null ? found : named(plain, isWhole);
  }

  return { find };
}

/** Districts are at most this far from the center of their city. */
const quarterKm = 6;

function cellOf(lat: number, lng: number): number {
  const row = Math.floor((lat + 90) * cellsPerDegree);
  const column = Math.floor((lng + 180) * cellsPerDegree);
  return row * columns + (((column % columns) + columns) % columns);
}

function cellsOf(latitudes: Float64Array, longitudes: Float64Array): Map<number, number[]> {
  const cells = new Map<number, number[]>();
  for (const [id, lat] of latitudes.entries()) {
    const cell = cellOf(lat, longitudes[id] ?? 0);
    const known = cells.get(cell);
    if (known) known.push(id);
    else cells.set(cell, [id]);
  }
  return cells;
}

function kmBetween(latA: number, lngA: number, latB: number, lngB: number): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const part = half(latB - latA) + Math.cos(radians(latA)) * Math.cos(radians(latB)) * half(lngB - lngA);
  return 2 * earthKm * Math.asin(Math.sqrt(Math.min(1, part)));
}

function notableIds(places: readonly RawPlace[], normalized: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  const wanted = Map.groupBy(notableCities(), (city) => normalizeName(city.name));
  const taken = new Set<unknown>();
  for (const [id, name] of normalized.entries())
    for (const city of wanted.get(name) ?? []) {
      const { country, admin1, admin2 } = places[id] ?? {};
      if (city.country !== country || (city.admin1 ?? admin1) !== admin1 || (city.admin2 ?? admin2) !== admin2)
        continue;
      // Only the first match is notable, because the data may contain a village of the same name.
      if (!taken.has(city)) found.set(id, city.isCapital ? ranks.capital : ranks.notable);
      taken.add(city);
    }
  return found;
}

function sortedNames(normalized: readonly string[], notable: ReadonlyMap<number, number>) {
  const idOf = new Map([...notable.keys()].map((id) => [normalized[id] ?? "", id]));
  const others = otherCityNames().flatMap(([other, name]): [string, number][] => {
    const id = idOf.get(normalizeName(name));
    return id === undefined ? [] : [[other, id]];
  });
  const all = [...normalized.map((name, id): [string, number] => [name, id]), ...others];
  all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return { keys: all.map(([key]) => key), ids: Int32Array.from(all, ([, id]) => id) };
}

function countryWords(): Map<string, string> {
  const words = new Map(Object.entries(alsoCalled));
  for (const language of languages) {
    const names = new Intl.DisplayNames(language, { type: "region" });
    for (const code of countryCodes) {
      const name = normalizeName(names.of(code) ?? "");
      if (!words.has(name)) words.set(name, code);
    }
  }
  return words;
}
