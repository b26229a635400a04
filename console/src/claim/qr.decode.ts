// One frame of the camera to the text of the QR code in it.
import decodeQR from "qr/decode.js";

/** A frame may take this long: the next one is coming. */
const limitMs = 80;

/** Null when there is none that can be read. */
export function readFrame(frame: { width: number; height: number; data: Uint8ClampedArray }): string | null {
  try {
    return decodeQR(frame, { effort: Number.POSITIVE_INFINITY, timeLimit: limitMs });
  } catch {
    return null;
  }
}
