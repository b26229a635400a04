// Decodes the QR code in a camera frame.
import decodeQR from "qr/decode.js";

const limitMs = 80;

export function decodeFrame(frame: { width: number; height: number; data: Uint8ClampedArray }): string | null {
  try {
    return decodeQR(frame, { effort: Number.POSITIVE_INFINITY, timeLimit: limitMs });
  } catch {
    return null;
  }
}
