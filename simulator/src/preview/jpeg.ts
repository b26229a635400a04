// Encodes pictures as JPEG.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Four bytes for each pixel: red, green, blue, and 255 for opaque. */
export type Picture = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };

export async function encodeJpeg({ width, height, data }: Picture): Promise<Buffer> {
  const encode = await (encoder ??= loadEncoder());
  return Buffer.from(await encode({ width, height, data, colorSpace: "srgb" }));
}

let encoder: ReturnType<typeof loadEncoder> | undefined;

/** Loaded with the first picture, because most simulated sensors never encode one. */
async function loadEncoder() {
  const { default: encode, init } = await import("@jsquash/jpeg/encode.js");
  await init({ wasmBinary: await readCodec("enc/mozjpeg_enc.wasm") });
  return encode;
}

/** Reads the library's WebAssembly, which the library itself can find only in browsers. */
export async function readCodec(name: string): Promise<ArrayBuffer> {
  const file = await readFile(fileURLToPath(import.meta.resolve(`@jsquash/jpeg/codec/${name}`)));
  return Uint8Array.from(file).buffer;
}
