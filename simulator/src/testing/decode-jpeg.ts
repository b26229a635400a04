// Decodes JPEG files of previews for tests.
import decode, { init } from "@jsquash/jpeg/decode.js";
import { readCodec, type Picture } from "../preview/jpeg.ts";

await init({ wasmBinary: await readCodec("dec/mozjpeg_dec.wasm") });

/** Rejects anything but a JPEG file. */
export async function decodeJpeg(file: Buffer): Promise<Picture> {
  const { width, height, data } = await decode(Uint8Array.from(file).buffer);
  return { width, height, data };
}
