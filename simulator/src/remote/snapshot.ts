// The picture of getSnapshot: the scene below the sensor, drawn for it and encoded as PNG.
import { crc32, deflateSync } from "node:zlib";
import { chance, mix } from "../random.ts";

/** Palette: floor, dark tile, wall, counting line, person, shadow, black, white. */
const palette = [0xb9b2a6, 0xaba497, 0x6f6a63, 0xe8a33d, 0x5b7c99, 0x8d877c, 0x000000, 0xffffff];
const [floor, tile, wall, stripe, person, shadow, black, white] = [0, 1, 2, 3, 4, 5, 6, 7];

export type Scene = {
  seed: number;
  /** Pixels; the height is three quarters of it. */
  width: number;
  /** Whether people are blobs; else they have faces. */
  blur: boolean;
  people: number;
  /** 0 clear, 1 covered, 3 too dark, 5 too bright. */
  view: number;
  lines: number;
  at: number;
};

/** Draws a scene, with people who passed in the last minutes. */
export function snapshot(scene: Scene): Buffer {
  const { width, view } = scene;
  const height = Math.round((width * 3) / 4);
  const pixels = new Uint8Array(width * height);
  if (view === 0) drawScene(pixels, width, height, scene);
  else pixels.fill(view === 5 ? white : black);
  return encodePng(pixels, width, height);
}

function drawScene(pixels: Uint8Array, width: number, height: number, { seed, blur, people, lines, at }: Scene): void {
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
  const draw = chance(mix(seed, Math.floor(at / 1000)));
  const radius = Math.round(width / 30);
  for (let count = 0; count < Math.min(people, 40); count++) {
    const x = border + radius + Math.floor(draw() * (width - 2 * (border + radius)));
    const y = radius + Math.floor(draw() * (height - 2 * radius));
    disc(pixels, width, height, x + 3, y + 3, radius, shadow);
    disc(pixels, width, height, x, y, radius, person);
    if (!blur) drawFace(pixels, width, height, x, y, radius);
  }
}

/** Two eyes and a mouth, where a blurred picture shows a blob. */
function drawFace(pixels: Uint8Array, width: number, height: number, x: number, y: number, radius: number): void {
  const [aside, feature] = [Math.round(radius / 2), Math.max(0, Math.round(radius / 8))];
  for (const eye of [x - aside, x + aside]) disc(pixels, width, height, eye, y - feature, feature, black);
  disc(pixels, width, height, x, y + aside, feature, black);
}

function disc(
  pixels: Uint8Array,
  width: number,
  height: number,
  centreX: number,
  centreY: number,
  radius: number,
  colour: number,
): void {
  for (let y = Math.max(0, centreY - radius); y <= Math.min(height - 1, centreY + radius); y++) {
    const half = Math.floor(Math.sqrt(radius * radius - (y - centreY) ** 2));
    pixels.fill(colour, y * width + Math.max(0, centreX - half), y * width + Math.min(width, centreX + half + 1));
  }
}

function encodePng(pixels: Uint8Array, width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((rgb) => [rgb >> 16, (rgb >> 8) & 255, rgb & 255]));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", colours),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
