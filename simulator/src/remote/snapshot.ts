// Picture for getSnapshot: the scene below the sensor as a palette PNG.
import { encode } from "fast-png";
import { seededRandom, mixSeeds } from "../random.ts";

/** Floor, dark tile, wall, counting line, person, shadow, black, white. */
const palette = [
  [185, 178, 166],
  [171, 164, 151],
  [111, 106, 99],
  [232, 163, 61],
  [91, 124, 153],
  [141, 135, 124],
  [0, 0, 0],
  [255, 255, 255],
];
const [floor, tile, wall, stripe, person, shadow, black, white] = [0, 1, 2, 3, 4, 5, 6, 7];

export type Scene = {
  seed: number;
  /** In pixels; the height is three quarters of it. */
  width: number;
  /** Draws people as blobs without faces. */
  blur: boolean;
  people: number;
  /** 0 clear, 1 covered, 3 too dark, 5 too bright. */
  view: number;
  lines: number;
  at: number;
};

export function drawSnapshot(scene: Scene): Buffer {
  const { width, view } = scene;
  const height = Math.round((width * 3) / 4);
  const pixels = new Uint8Array(width * height);
  if (view === 0) drawScene({ pixels, width, height }, scene);
  else pixels.fill(view === 5 ? white : black);
  return Buffer.from(encode({ width, height, data: pixels, depth: 8, channels: 1, palette }));
}

type Canvas = { pixels: Uint8Array; width: number; height: number };

function drawScene(canvas: Canvas, { seed, blur, people, lines, at }: Scene): void {
  const { pixels, width, height } = canvas;
  const tileSize = Math.max(8, Math.round(width / (10 + (seed % 7))));
  const border = Math.round(width / 24);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const isWall = x < border || x >= width - border || y < border / 2;
      pixels[y * width + x] = isWall ? wall : x % tileSize === 0 || y % tileSize === 0 ? tile : floor;
    }
  }
  for (let line = 1; line <= lines; line++) {
    const y = Math.round((height * line) / (lines + 1));
    for (let thick = -1; thick <= 1; thick++)
      pixels.fill(stripe, (y + thick) * width + border, (y + thick) * width + width - border);
  }
  const draw = seededRandom(mixSeeds(seed, Math.floor(at / 1000)));
  const radius = Math.round(width / 30);
  for (let count = 0; count < Math.min(people, 40); count++) {
    const x = border + radius + Math.floor(draw() * (width - 2 * (border + radius)));
    const y = radius + Math.floor(draw() * (height - 2 * radius));
    disc(canvas, x + 3, y + 3, radius, shadow);
    disc(canvas, x, y, radius, person);
    if (!blur) drawFace(canvas, x, y, radius);
  }
}

function drawFace(canvas: Canvas, x: number, y: number, radius: number): void {
  const [aside, feature] = [Math.round(radius / 2), Math.max(0, Math.round(radius / 8))];
  for (const eye of [x - aside, x + aside]) disc(canvas, eye, y - feature, feature, black);
  disc(canvas, x, y + aside, feature, black);
}

function disc(
  { pixels, width, height }: Canvas,
  centerX: number,
  centerY: number,
  radius: number,
  color: number,
): void {
  for (let y = Math.max(0, centerY - radius); y <= Math.min(height - 1, centerY + radius); y++) {
    const half = Math.floor(Math.sqrt(radius * radius - (y - centerY) ** 2));
    pixels.fill(color, y * width + Math.max(0, centerX - half), y * width + Math.min(width, centerX + half + 1));
  }
}
