// The time zone of a point.

type Find = (lat: number, lng: number) => string[];
let loading: Promise<Find> | null = null;

/** IANA name of the zone at a GeoJSON point ([lng, lat]); null if the data has none. */
export async function findZone([lng, lat]: readonly [number, number]): Promise<string | null> {
  // The shapes of all zones take 70 MB and are loaded lazily. The package's default entry merges zones that agree since 1970 (Oslo would be
  // Berlin).
  loading ??= import("geo-tz/all").then((module) => module.find);
  const find = await loading;
  return find(lat, lng)[0] ?? null;
}
