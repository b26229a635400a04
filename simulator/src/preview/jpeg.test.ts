// What is encoded can be decoded, by a decoder that shares nothing with the encoder.
import { expect, test } from "vitest";
import { chance } from "../random.ts";
import { decodeJpeg } from "../testing/jpeg-decoder.ts";
import { encodeJpeg, type Picture } from "./jpeg.ts";

function pictureOf(width: number, height: number, color: (x: number, y: number) => [number, number, number]): Picture {
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels.set(color(x, y), (y * width + x) * 3);
  return { width, height, pixels };
}

/** Mean difference of all values. */
function differenceOf(picture: Picture, quality: number): number {
  const { width, height, pixels } = decodeJpeg(encodeJpeg(picture, quality));
  expect([width, height]).toEqual([picture.width, picture.height]);
  let sum = 0;
  for (const [at, value] of picture.pixels.entries()) sum += Math.abs(value - (pixels[at] ?? 0));
  return sum / pixels.length;
}

const gradient = (width: number, height: number): Picture =>
  pictureOf(width, height, (x, y) => [(x * 7) % 256, (y * 5) % 256, 255 - ((x + y) % 256)]);

test.each([
  [8, 8],
  [1, 1],
  [17, 9],
  [64, 48],
])("%i × %i pixels come back as they were, edges included", (width, height) => {
  for (const color of [
    [0, 0, 0],
    [255, 255, 255],
    [255, 0, 0],
    [0, 255, 0],
    [20, 40, 220],
  ] as const)
    expect(
      differenceOf(
        pictureOf(width, height, () => [...color]),
        90,
      ),
      String(color),
    ).toBeLessThan(2.5);
  expect(differenceOf(gradient(width, height), 95)).toBeLessThan(6);
});

test("noise uses every kind of code, and a lower quality makes it smaller and worse", () => {
  const draw = chance(7);
  const noise = pictureOf(40, 40, () => [draw() * 256, draw() * 256, draw() * 256]);
  expect(differenceOf(noise, 100)).toBeLessThan(2);
  const [good, poor] = [encodeJpeg(noise, 90), encodeJpeg(noise, 20)];
  expect(poor.length).toBeLessThan(good.length / 2);
  expect(differenceOf(noise, 20)).toBeGreaterThan(differenceOf(noise, 90));
});

test("it is a baseline JFIF file: its segments in order, and no marker within the data", () => {
  const file = encodeJpeg(gradient(33, 20), 60);
  const markers: number[] = [];
  let at = 2;
  for (; file[at + 1] !== 0xda; at += 2 + file.readUInt16BE(at + 2)) markers.push(file[at + 1] ?? 0);
  expect(markers).toEqual([0xe0, 0xdb, 0xc0, 0xc4]);
  expect(file.subarray(6, 11).toString("latin1")).toBe("JFIF\0");
  const scan = file.subarray(at + 2 + file.readUInt16BE(at + 2), file.length - 2);
  for (const [index, byte] of scan.entries()) if (byte === 0xff) expect(scan[index + 1]).toBe(0);
});
