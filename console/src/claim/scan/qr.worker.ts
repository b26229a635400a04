// Worker that decodes QR codes off the main thread.
import { decodeFrame } from "./qr.decode.ts";

type Asked = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };

addEventListener("message", ({ data }: MessageEvent<Asked>) => postMessage(decodeFrame(data)));
