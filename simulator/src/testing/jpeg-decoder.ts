// Decodes the JPEG files of previews for tests, by nothing but what the file itself says of its tables.

export type Decoded = { width: number; height: number; pixels: Uint8ClampedArray };

type Codes = Map<number, number>;
type Component = { steps: number[]; dc: Codes; ac: Codes; last: number; plane: Float64Array };

/** Where the coefficients of a block go, read along its diagonals. */
const order = Array.from({ length: 64 }, (_, at) => at).toSorted((a, b) => {
  const [rowA, rowB] = [(a >> 3) + (a & 7), (b >> 3) + (b & 7)];
  return rowA === rowB ? (rowA % 2 === 0 ? (a & 7) - (b & 7) : (a >> 3) - (b >> 3)) : rowA - rowB;
});

/** Fails on everything but baseline files of three components without subsampling. */
export function decodeJpeg(file: Buffer): Decoded {
  if (file.readUInt16BE(0) !== 0xffd8 || file.readUInt16BE(file.length - 2) !== 0xffd9) throw new Error("No JPEG");
  const steps = new Map<number, number[]>();
  const codes = new Map<number, Codes>();
  let size = { width: 0, height: 0 };
  const tablesOf = new Map<number, number>();
  for (let at = 2; ;) {
    const [marker, length] = [file.readUInt16BE(at), file.readUInt16BE(at + 2)];
    const body = file.subarray(at + 4, at + 2 + length);
    at += 2 + length;
    if (marker === 0xffdb)
      for (let table = 0; table < body.length; table += 65)
        steps.set(body.readUInt8(table), [...body.subarray(table + 1, table + 65)]);
    else if (marker === 0xffc4) readCodes(body, codes);
    else if (marker === 0xffc0) {
      size = { height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
      if (body[0] !== 8 || body[5] !== 3) throw new Error("Not three components of eight bits");
      for (let one = 6; one < 15; one += 3) {
        if (body[one + 1] !== 0x11) throw new Error("Not in full color");
        tablesOf.set(body.readUInt8(one), body.readUInt8(one + 2));
      }
    } else if (marker === 0xffda) {
      const wide = Math.ceil(size.width / 8) * 8;
      const plane = (): Float64Array => new Float64Array(wide * Math.ceil(size.height / 8) * 8);
      const components = [1, 3, 5].map((one): Component => {
        const which = body.readUInt8(one + 1);
        const known = steps.get(tablesOf.get(body.readUInt8(one)) ?? -1);
        const [dc, ac] = [codes.get(which >> 4), codes.get(0x10 | (which & 15))];
        if (!known || !dc || !ac) throw new Error("A table is missing");
        return { steps: known, dc, ac, last: 0, plane: plane() };
      });
      readScan(file.subarray(at, file.length - 2), components, wide, size.height);
      return inColor(components, wide, size);
    } else if (marker !== 0xffe0) throw new Error(`Marker ${marker.toString(16)}`);
  }
}

/** Codes as numbers with a leading one, which keeps their zeros. */
function readCodes(body: Buffer, codes: Map<number, Codes>): void {
  for (let at = 0; at < body.length;) {
    const table: Codes = new Map();
    let next = at + 17;
    let code = 0;
    for (let length = 1; length <= 16; length++) {
      for (let many = body[at + length] ?? 0; many > 0; many--)
        table.set((1 << length) | code++, body.readUInt8(next++));
      code <<= 1;
    }
    codes.set(body.readUInt8(at), table);
    at = next;
  }
}

function readScan(data: Buffer, components: readonly Component[], wide: number, height: number): void {
  let at = 0;
  const bit = (): number => {
    const byte = data[at >> 3];
    if (byte === undefined) throw new Error("The scan ends too early");
    const value = (byte >> (7 - (at & 7))) & 1;
    at++;
    // The zero after a byte of ones is no data.
    if ((at & 7) === 0 && byte === 0xff) at += 8;
    return value;
  };
  const bits = (many: number): number => {
    let value = 0;
    for (let count = 0; count < many; count++) value = (value << 1) | bit();
    return many > 0 && value < 1 << (many - 1) ? value - (1 << many) + 1 : value;
  };
  const symbol = (table: Codes): number => {
    for (let code = 1, length = 0; length < 16; length++) {
      code = (code << 1) | bit();
      const found = table.get(code);
      if (found !== undefined) return found;
    }
    throw new Error("No such code");
  };
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < wide; left += 8) {
      for (const component of components) {
        const block = new Float64Array(64);
        component.last += bits(symbol(component.dc));
        block[0] = component.last * (component.steps[0] ?? 0);
        for (let one = 1; one < 64; one++) {
          const both = symbol(component.ac);
          if (both === 0) break;
          one += both >> 4;
          block[order[one] ?? 0] = bits(both & 15) * (component.steps[one] ?? 0);
        }
        putBlock(component.plane, block, wide, left, top);
      }
    }
  }
  if (Math.ceil(at / 8) !== data.length) throw new Error("Something is left after the scan");
}

function putBlock(plane: Float64Array, block: Float64Array, wide: number, left: number, top: number): void {
  const part = (n: number, at: number): number =>
    (n === 0 ? Math.SQRT1_2 : 1) * Math.cos(((2 * at + 1) * n * Math.PI) / 16);
  for (let at = 0; at < 64; at++) {
    const [x, y] = [at & 7, at >> 3];
    let sum = 0;
    for (let n = 0; n < 64; n++) if (block[n]) sum += (block[n] ?? 0) * part(n & 7, x) * part(n >> 3, y);
    plane[(top + y) * wide + left + x] = sum / 4;
  }
}

function inColor(
  [light, blue, red]: Component[],
  wide: number,
  { width, height }: { width: number; height: number },
): Decoded {
  const pixels = new Uint8ClampedArray(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = y * wide + x;
      const [l, b, r] = [(light?.plane[from] ?? 0) + 128, blue?.plane[from] ?? 0, red?.plane[from] ?? 0];
      pixels.set([l + 1.402 * r, l - 0.344136 * b - 0.714136 * r, l + 1.772 * b], (y * width + x) * 3);
    }
  }
  return { width, height, pixels };
}
