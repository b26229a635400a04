// Reads QR codes from a video with the browser's detector, or with our own decoder in a worker.

export type QrReader = { read(video: HTMLVideoElement): Promise<string | null>; stop(): void };

/** BarcodeDetector, missing in TypeScript's types. */
type Detector = { detect(source: HTMLVideoElement): Promise<{ rawValue: string }[]> };
type DetectorClass = {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats(): Promise<string[]>;
};

/** Maximum side in px for our decoder; larger frames take longer without better results. */
const maxSide = 960;

export async function createQrReader(): Promise<QrReader> {
  return (await nativeReader()) ?? ownReader();
}

async function nativeReader(): Promise<QrReader | null> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass };
  const formats: string[] = (await BarcodeDetector?.getSupportedFormats().catch(() => [])) ?? [];
  if (!BarcodeDetector || !formats.includes("qr_code")) return null;
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  return {
    async read(video) {
      const found = await detector.detect(video).catch(() => []);
      return found[0]?.rawValue ?? null;
    },
    stop: () => undefined,
  };
}

function ownReader(): QrReader {
  const worker = new Worker(new URL("./qr.worker.ts", import.meta.url), { type: "module" });
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { willReadFrequently: true });
  let settle: (text: string | null) => void = () => undefined;
  worker.addEventListener("message", ({ data }: MessageEvent<string | null>) => settle(data));
  worker.addEventListener("error", () => settle(null));
  return {
    read(video) {
      const { videoWidth, videoHeight } = video;
      if (!context || videoWidth === 0) return Promise.resolve(null);
      const scale = Math.min(1, maxSide / Math.max(videoWidth, videoHeight));
      canvas.width = Math.round(videoWidth * scale);
      canvas.height = Math.round(videoHeight * scale);
      context.drawImage(video, 0, 0, canvas.width, canvas.height);
      const { width, height, data } = context.getImageData(0, 0, canvas.width, canvas.height);
      return new Promise((resolve) => {
        settle = resolve;
        worker.postMessage({ width, height, data }, [data.buffer]);
      });
    },
    stop: () => {
      worker.terminate();
      settle(null);
    },
  };
}
