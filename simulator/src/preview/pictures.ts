// Pictures of the cameras of a sensor: drawn for the people who are there, and small enough for a slow line.
import { tallyOf } from "../counting/tally.ts";
import type { Values } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { hashText, mix } from "../random.ts";
import { valuesInForce } from "../section/sections.ts";
import { camerasOf } from "./cameras.ts";
import { encodeJpeg, type Picture } from "./jpeg.ts";
import { peopleByCamera } from "./occupancy.ts";
import { draw, turned } from "./scene.ts";

const maxBytes = 60 * 1024;
const qualities = [60, 40, 25, 10];
/** People are in the picture of a ceiling for this long. */
const passingMs = 60_000;

const coach = { place: "coach", width: 480, height: 360 } as const;
const hall = { place: "hall", width: 640, height: 480 } as const;

/** All pictures, or that of one camera. */
export function pictures(sensor: Sensor, camera: string | null): Values {
  const at = sensor.around.clock.now();
  const all = camerasOf(sensor);
  const people = sensor.type === "ZOD" ? peopleByCamera(sensor, all) : [passersBy(sensor, at)];
  const isBlurred = valuesInForce(sensor, "camera")["blurPreviews"] !== false;
  const cameras = all.flatMap(({ id, name, state, rotation }, index) => {
    if (camera !== null && camera !== id) return [];
    const seed = mix(sensor.profile.seed, hashText(id));
    const frame = sensor.type === "ZOD" ? coach : hall;
    const picture = turned(draw({ seed, at, ...frame, people: people[index] ?? 0, state, isBlurred }), rotation);
    const { width, height } = picture;
    return [{ id, name, state, width, height, jpeg: encoded(picture).toString("base64") }];
  });
  return { cameras };
}

/** Those whom the sensor has just counted. */
function passersBy({ profile, world }: Sensor, at: number): number {
  const { lines } = tallyOf(profile, world, at - passingMs, at);
  return lines.reduce((sum, line) => sum + line.in + line.out, 0);
}

/** In the best quality that is small enough. */
function encoded(picture: Picture): Buffer {
  const [best = 60, ...worse] = qualities;
  let jpeg = encodeJpeg(picture, best);
  for (const quality of worse) if (jpeg.length > maxBytes) jpeg = encodeJpeg(picture, quality);
  return jpeg;
}
