// Pictures survive encoding and decoding, and are small enough for slow connections.
import { expect, test } from "vitest";
import { decodeJpeg } from "../testing/decode-jpeg.ts";
import { encodeJpeg, type Picture } from "./jpeg.ts";
import { drawScene } from "./scene.ts";

function pictureOf(width: number, height: number, color: (x: number, y: number) => readonly number[]): Picture {
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(color(x, y), (y * width + x) * 4);
  return { width, height, data };
}

async function difference(picture: Picture): Promise<number> {
  const { width, height, data } = await decodeJpeg(await encodeJpeg(picture));
  expect([width, height]).toEqual([picture.width, picture.height]);
  return picture.data.reduce((sum, value, at) => sum + Math.abs(value - (data[at] ?? 0)), 0) / data.length;
}

test.each([
  [8, 8],
  [1, 1],
  [17, 9],
  [64, 48],
])("%i × %i pixels keep their size and colors", async (width, height) => {
  for (const color of [
    [0, 0, 0],
    [255, 255, 255],
    [255, 0, 0],
    [0, 255, 0],
    [20, 40, 220],
  ])
    expect(await difference(pictureOf(width, height, () => color)), String(color)).toBeLessThan(2);
  const gradient = pictureOf(width, height, (x, y) => [x * 3, y * 3, 255 - x - y]);
  expect(await difference(gradient)).toBeLessThan(4);
});

test.each([
  ["coach", 480, 360],
  ["hall", 640, 480],
] as const)("the largest crowd in a %s fits into 60 kB", { tags: "prove" }, async (place, width, height) => {
  for (let seed = 1; seed <= 5; seed++) {
    const scene = { seed, at: seed * 7777, width, height, place, people: 99, state: "ok", isBlurred: false } as const;
    expect((await encodeJpeg(drawScene(scene))).length).toBeLessThanOrEqual(60 * 1024);
  }
});
