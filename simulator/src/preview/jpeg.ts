// Encodes pictures as baseline JPEG (ITU-T T.81): YCbCr without subsampling, the tables of its Annex K.

/** Three bytes for each pixel: red, green, blue. */
export type Picture = { width: number; height: number; pixels: Uint8Array };

/** Order in which the 64 frequencies of a block are written. */
const zigzag = [
  0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
  35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47,
  55, 62, 63,
];
const brightness = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];
const color = [
  [17, 18, 24, 47],
  [18, 21, 26, 66],
  [24, 26, 56, 99],
  [47, 66, 99, 99],
];
const colors = Array.from({ length: 64 }, (_, at) => color[at >> 3]?.[at & 7] ?? 99);

/** How many codes there are of each length from 1 on, and what they mean, in the order of the codes. */
type Codes = { lengths: readonly number[]; symbols: readonly number[] };

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, index) => index);
const brightnessDc: Codes = { lengths: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: upTo(11) };
const colorDc: Codes = { lengths: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], symbols: upTo(11) };
const hex = (text: string): number[] => [...Buffer.from(text.replaceAll(" ", ""), "hex")];
const brightnessAc: Codes = {
  lengths: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
  symbols: hex(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a" +
      "434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8" +
      "a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
  ),
};
const colorAc: Codes = {
  lengths: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
  symbols: hex(
    "000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a" +
      "434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7" +
      "a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
  ),
};

type Coder = { code: Uint16Array; bits: Uint8Array };

function coderOf({ lengths, symbols }: Codes): Coder {
  const coder = { code: new Uint16Array(256), bits: new Uint8Array(256) };
  let code = 0;
  let next = 0;
  for (const [index, many] of lengths.entries()) {
    for (let count = 0; count < many; count++) {
      const symbol = symbols[next++] ?? 0;
      coder.code[symbol] = code++;
      coder.bits[symbol] = index + 1;
    }
    code <<= 1;
  }
  return coder;
}

const coders = {
  brightness: { dc: coderOf(brightnessDc), ac: coderOf(brightnessAc) },
  color: { dc: coderOf(colorDc), ac: coderOf(colorAc) },
};

/** The steps of each frequency at a quality from 1 to 100. */
function stepsOf(table: readonly number[], quality: number): number[] {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return table.map((step) => Math.min(255, Math.max(1, Math.floor((step * scale + 50) / 100))));
}

/** Bits into bytes; after a byte of ones comes a zero, so that no data looks like a marker. */
function bitWriter() {
  const bytes: number[] = [];
  let held = 0;
  let count = 0;
  const put = (value: number, bits: number): void => {
    held = (held << bits) | (value & ((1 << bits) - 1));
    count += bits;
    while (count >= 8) {
      count -= 8;
      const byte = (held >>> count) & 0xff;
      bytes.push(byte);
      if (byte === 0xff) bytes.push(0);
    }
    held &= (1 << count) - 1;
  };
  return {
    put,
    end(): Buffer {
      if (count > 0) put(0x7f, 8 - count);
      return Buffer.from(bytes);
    },
  };
}
type BitWriter = ReturnType<typeof bitWriter>;

const cosines = new Float32Array(64);
for (let frequency = 0; frequency < 8; frequency++)
  for (let at = 0; at < 8; at++)
    cosines[frequency * 8 + at] =
      Math.cos(((2 * at + 1) * frequency * Math.PI) / 16) * (frequency === 0 ? Math.SQRT1_2 / 2 : 0.5);

const half = new Float32Array(64);
/** The frequencies of a block, first along its rows, then along its columns. */
function transform(block: Float32Array, result: Float32Array): void {
  for (let row = 0; row < 64; row += 8)
    for (let frequency = 0; frequency < 64; frequency += 8)
      half[row + (frequency >> 3)] = dot(block, row, 1, frequency);
  for (let column = 0; column < 8; column++)
    for (let frequency = 0; frequency < 64; frequency += 8)
      result[frequency + column] = dot(half, column, 8, frequency);
}

function dot(values: Float32Array, from: number, stride: number, frequency: number): number {
  let sum = 0;
  for (let at = 0; at < 8; at++) sum += (values[from + at * stride] ?? 0) * (cosines[frequency + at] ?? 0);
  return sum;
}

/** One of the three planes of a picture. */
function planeOf(
  { width, height, pixels }: Picture,
  [red, green, blue]: readonly [number, number, number],
  shift: number,
) {
  const plane = new Float32Array(width * height);
  for (let at = 0; at < plane.length; at++)
    plane[at] =
      red * (pixels[at * 3] ?? 0) + green * (pixels[at * 3 + 1] ?? 0) + blue * (pixels[at * 3 + 2] ?? 0) - shift;
  return plane;
}

type Component = { plane: Float32Array; steps: number[]; coder: { dc: Coder; ac: Coder }; lastDc: number };

function writeBlock(
  writer: BitWriter,
  component: Component,
  { width, height }: Picture,
  left: number,
  top: number,
): void {
  const { plane, steps, coder } = component;
  const block = new Float32Array(64);
  let isFlat = true;
  for (let at = 0; at < 64; at++) {
    // Beyond the edge the last pixels go on.
    const [x, y] = [Math.min(width - 1, left + (at & 7)), Math.min(height - 1, top + (at >> 3))];
    block[at] = plane[y * width + x] ?? 0;
    isFlat &&= block[at] === block[0];
  }
  const frequencies = new Float32Array(64);
  if (isFlat) frequencies[0] = 8 * (block[0] ?? 0);
  else transform(block, frequencies);
  const levels = zigzag.map((at) => Math.round((frequencies[at] ?? 0) / (steps[at] ?? 1)));
  const dc = levels[0] ?? 0;
  writeLevel(writer, coder.dc, 0, dc - component.lastDc);
  component.lastDc = dc;
  let zeros = 0;
  for (let at = 1; at < 64; at++) {
    const level = levels[at] ?? 0;
    if (level === 0) {
      zeros++;
      continue;
    }
    for (; zeros > 15; zeros -= 16) writer.put(coder.ac.code[0xf0] ?? 0, coder.ac.bits[0xf0] ?? 0);
    writeLevel(writer, coder.ac, zeros, level);
    zeros = 0;
  }
  if (zeros > 0) writer.put(coder.ac.code[0] ?? 0, coder.ac.bits[0] ?? 0);
}

/** How many zeros come first and how many bits it has, as a code; then those bits. */
function writeLevel(writer: BitWriter, coder: Coder, zeros: number, level: number): void {
  const size = 32 - Math.clz32(Math.abs(level));
  const symbol = zeros * 16 + size;
  writer.put(coder.code[symbol] ?? 0, coder.bits[symbol] ?? 0);
  if (size > 0) writer.put(level < 0 ? level - 1 : level, size);
}

function segment(marker: number, ...content: (number | readonly number[])[]): Buffer {
  const body = content.flat();
  return Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 0xff, ...body]);
}

const two = (value: number): number[] => [value >> 8, value & 0xff];

export function encodeJpeg(picture: Picture, quality: number): Buffer {
  const { width, height } = picture;
  const [light, tint] = [stepsOf(brightness, quality), stepsOf(colors, quality)];
  const components: Component[] = [
    { plane: planeOf(picture, [0.299, 0.587, 0.114], 128), steps: light, coder: coders.brightness, lastDc: 0 },
    { plane: planeOf(picture, [-0.168736, -0.331264, 0.5], 0), steps: tint, coder: coders.color, lastDc: 0 },
    { plane: planeOf(picture, [0.5, -0.418688, -0.081312], 0), steps: tint, coder: coders.color, lastDc: 0 },
  ];
  const writer = bitWriter();
  for (let top = 0; top < height; top += 8)
    for (let left = 0; left < width; left += 8)
      for (const component of components) writeBlock(writer, component, picture, left, top);
  const inZigzag = (steps: number[]): number[] => zigzag.map((at) => steps[at] ?? 1);
  const codes = (which: number, { lengths, symbols }: Codes): number[] => [which, ...lengths, ...symbols];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from("JFIF\0")], [1, 1, 0], two(1), two(1), [0, 0]),
    segment(0xdb, 0, inZigzag(light), 1, inZigzag(tint)),
    segment(0xc0, 8, two(height), two(width), 3, [1, 0x11, 0], [2, 0x11, 1], [3, 0x11, 1]),
    segment(0xc4, codes(0x00, brightnessDc), codes(0x10, brightnessAc), codes(0x01, colorDc), codes(0x11, colorAc)),
    segment(0xda, 3, [1, 0x00], [2, 0x11], [3, 0x11], 0, 63, 0),
    writer.end(),
    Buffer.from([0xff, 0xd9]),
  ]);
}
