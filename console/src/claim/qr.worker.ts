// Reads QR codes beside the page, so that the picture never stutters.
import { readFrame } from "./qr.decode.ts";

type Asked = { width: number; height: number; data: Uint8ClampedArray<ArrayBuffer> };

addEventListener("message", ({ data }: MessageEvent<Asked>) => postMessage(readFrame(data)));
