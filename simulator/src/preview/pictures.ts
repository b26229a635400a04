// Pictures of the cameras of a sensor, drawn with the people who are there.
import { computeTally } from "../counting/tally.ts";
import type { SectionValues } from "../device/section-state.ts";
import type { Sensor } from "../device/sensor-state.ts";
import { hashText, mixSeeds } from "../random.ts";
import { activeValues } from "../section/sections.ts";
import { camerasOf } from "./cameras.ts";
import { encodeJpeg } from "./jpeg.ts";
import { peopleByCamera } from "./occupancy.ts";
import { drawScene, rotatePicture } from "./scene.ts";

/** How long people stay in the picture of a ceiling sensor. */
const passingMs = 60_000;

const coach = { place: "coach", width: 480, height: 360 } as const;
const hall = { place: "hall", width: 640, height: 480 } as const;

export async function drawCameraPictures(sensor: Sensor, camera: string | null): Promise<SectionValues> {
  const at = sensor.env.clock.now();
  const all = camerasOf(sensor);
  const people = sensor.type === "ZOD" ? peopleByCamera(sensor, all) : [passersBy(sensor, at)];
  const isBlurred = activeValues(sensor, "camera")["blurPreviews"] !== false;
  const shots = all.flatMap(({ id, name, state, rotation }, index) => {
    if (camera !== null && camera !== id) return [];
    const seed = mixSeeds(sensor.profile.seed, hashText(id));
    const frame = sensor.type === "ZOD" ? coach : hall;
    const picture = rotatePicture(
      drawScene({ seed, at, ...frame, people: people[index] ?? 0, state, isBlurred }),
      rotation,
    );
    return [{ id, name, state, picture }];
  });
  const cameras = shots.map(async ({ picture, ...shot }) => {
    const { width, height } = picture;
    return { ...shot, width, height, jpeg: (await encodeJpeg(picture)).toString("base64") };
  });
  return { cameras: await Promise.all(cameras) };
}

function passersBy({ profile, world }: Sensor, at: number): number {
  const { lines } = computeTally(profile, world, at - passingMs, at);
  return lines.reduce((sum, line) => sum + line.in + line.out, 0);
}
