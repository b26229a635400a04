// The time zone of a point on the earth.

type Find = (lat: number, lng: number) => string[];
let loading: Promise<Find> | null = null;

/** IANA name of the zone at a GeoJSON point ([lng, lat]); null where the data knows none. */
export async function zoneAt([lng, lat]: readonly [number, number]): Promise<string | null> {
  // The shapes of all zones are 70 MB: they are loaded when the first place needs them. The default entry of the package
  // merges zones that agree since 1970 (Oslo would be Berlin).
  loading ??= import("geo-tz/all").then((module) => module.find);
  const find = await loading;
  return find(lat, lng)[0] ?? null;
}
