// Draws a synthetic camera scene: floor, seats or walls, and moving people.
import { seededRandom, mixSeeds } from "../random.ts";
import type { CameraState } from "./cameras.ts";
import type { Picture } from "./jpeg.ts";

type Rgb = readonly [number, number, number];

export type Scene = {
  /** The same seed and time always give the same picture. */
  seed: number;
  at: number;
  width: number;
  height: number;
  place: "coach" | "hall";
  people: number;
  state: CameraState;
  isBlurred: boolean;
};

const most = 40;
const clothes: readonly Rgb[] = [
  [58, 84, 120],
  [140, 62, 58],
  [70, 110, 82],
  [92, 86, 96],
  [176, 140, 84],
  [60, 60, 66],
];
const skin: Rgb = [214, 178, 150];
const hair: Rgb = [72, 56, 46];
const ink: Rgb = [30, 28, 28];

const flat: Partial<Record<CameraState, Rgb>> = {
  covered: [24, 20, 18],
  dark: [10, 11, 14],
  bright: [250, 250, 246],
  off: [90, 92, 96],
};

export function drawScene(scene: Scene): Picture {
  const { width, height, state } = scene;
  const picture: Picture = { width, height, data: new Uint8ClampedArray(width * height * 4).fill(255) };
  const only = flat[state];
  if (only) fill(picture, 0, 0, width, height, only);
  else if (scene.place === "coach") drawCoach(picture, scene);
  else drawHall(picture, scene);
  if (!only) drawPeople(picture, scene);
  return picture;
}

function put({ data }: Picture, at: number, [red, green, blue]: Rgb, share: number): void {
  const mixed = (was: number, is: number): number => was + (is - was) * share;
  data[at] = mixed(data[at] ?? 0, red);
  data[at + 1] = mixed(data[at + 1] ?? 0, green);
  data[at + 2] = mixed(data[at + 2] ?? 0, blue);
}

function fill(picture: Picture, left: number, top: number, right: number, bottom: number, color: Rgb): void {
  const { width, height } = picture;
  for (let y = Math.max(0, Math.round(top)); y < Math.min(height, Math.round(bottom)); y++)
    for (let x = Math.max(0, Math.round(left)); x < Math.min(width, Math.round(right)); x++)
      put(picture, (y * width + x) * 4, color, 1);
}

/** An ellipse with a sharp edge (0) or a gradient from its center (1). */
function ellipse(picture: Picture, x: number, y: number, rx: number, ry: number, color: Rgb, fade = 0): void {
  const { width, height } = picture;
  for (let py = Math.max(0, Math.floor(y - ry)); py <= Math.min(height - 1, Math.ceil(y + ry)); py++) {
    for (let px = Math.max(0, Math.floor(x - rx)); px <= Math.min(width - 1, Math.ceil(x + rx)); px++) {
      const far = ((px - x) / rx) ** 2 + ((py - y) / ry) ** 2;
      if (far <= 1) put(picture, (py * width + px) * 4, color, fade === 0 ? 1 : 1 - far);
    }
  }
}

/** Draws a coach from above: an aisle between double seats. */
function drawCoach(picture: Picture, { width, height, seed }: Scene): void {
  const tone = seed % 12;
  fill(picture, 0, 0, width, height, [126 + tone, 124 + tone, 122]);
  fill(picture, 0, height * 0.38, width, height * 0.62, [150, 146, 138]);
  const seat = width / 8;
  for (let column = 0; column < 8; column++) {
    for (const top of [0.05, 0.2, 0.66, 0.81]) {
      const [x, y] = [column * seat + seat * 0.15, height * top];
      fill(picture, x, y, x + seat * 0.6, y + height * 0.13, [48, 74, 116]);
      fill(picture, x + seat * 0.6, y, x + seat * 0.72, y + height * 0.13, [34, 54, 88]);
    }
  }
}

/** Draws a hall as seen from the ceiling: floor tiles, and a wall at the top edge. */
function drawHall(picture: Picture, { width, height, seed }: Scene): void {
  const tile = width / (9 + (seed % 5));
  fill(picture, 0, 0, width, height, [186, 180, 168]);
  for (let x = tile; x < width; x += tile) fill(picture, x, 0, x + 2, height, [168, 161, 149]);
  for (let y = tile; y < height; y += tile) fill(picture, 0, y, width, y + 2, [168, 161, 149]);
  fill(picture, 0, 0, width, height * 0.05, [104, 100, 96]);
}

/** Each person walks an endless figure of eight: always in the picture, always moving. */
function drawPeople(picture: Picture, { width, height, seed, at, people, place, isBlurred }: Scene): void {
  const radius = width / (place === "coach" ? 22 : 16);
  for (let person = 0; person < Math.min(people, most); person++) {
    const luck = seededRandom(mixSeeds(seed, person));
    const reach = place === "coach" ? 0.12 : 0.42;
    const [midX, midY] = place === "coach" ? [0.14 + 0.72 * luck(), 0.14 + 0.72 * luck()] : [0.5, 0.52];
    const turn = (2 * Math.PI * (at % 3_600_000)) / (9000 + Math.floor(luck() * 9000));
    const begin = 2 * Math.PI * luck();
    const x = width * (midX + reach * Math.sin(turn + begin));
    const y = height * (midY + reach * Math.sin(2 * turn + begin * 3));
    drawPerson(picture, x, y, radius, clothes[Math.floor(luck() * clothes.length)] ?? ink, isBlurred);
  }
}

function drawPerson(picture: Picture, x: number, y: number, radius: number, dress: Rgb, isBlurred: boolean): void {
  if (isBlurred) {
    // One soft spot without a face.
    ellipse(picture, x, y, radius * 1.6, radius * 1.4, dress, 1);
    return;
  }
  ellipse(picture, x + radius * 0.2, y + radius * 0.25, radius * 1.2, radius * 0.8, [120, 114, 106]);
  ellipse(picture, x, y, radius * 1.2, radius * 0.75, dress);
  ellipse(picture, x, y - radius * 0.1, radius * 0.6, radius * 0.62, hair);
  ellipse(picture, x, y + radius * 0.08, radius * 0.46, radius * 0.46, skin);
  for (const side of [-1, 1]) ellipse(picture, x + side * radius * 0.18, y, radius * 0.07, radius * 0.07, ink);
  ellipse(picture, x, y + radius * 0.28, radius * 0.18, radius * 0.05, ink);
}

/** Rotates clockwise by a multiple of 90 degrees. */
export function rotatePicture(picture: Picture, degrees: number): Picture {
  if (degrees % 360 === 0) return picture;
  const { width, height, data } = picture;
  const isUpright = degrees === 180;
  const [newWidth, newHeight] = isUpright ? [width, height] : [height, width];
  const result = new Uint8ClampedArray(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [toX, toY] =
        degrees === 90 ? [height - 1 - y, x] : isUpright ? [width - 1 - x, height - 1 - y] : [y, width - 1 - x];
      result.set(data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4), (toY * newWidth + toX) * 4);
    }
  }
  return { width: newWidth, height: newHeight, data: result };
}
