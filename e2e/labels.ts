// Creates sensor labels, and launches a browser whose camera shows a QR code.

import { writeFile } from "node:fs/promises";
import { chromium, type Browser } from "@playwright/test";
import encodeQR from "qr";
import { findChromium } from "./browser.ts";
import { type Api, newSensorId } from "./world.ts";

export type SensorLabel = { id: string; code: string };

/** Enrolls a sensor and opens it for re-registration, as is done before shipping. */
export async function createLabel(api: Api, baseUrl = ""): Promise<SensorLabel> {
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const { token } = await api.post<{ token: string }>("/api/init_token", { name: "Labels", owner });
  const id = newSensorId();
  const reply = await fetch(`${baseUrl}/device/v1/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, id, type: "APS", nonce: "n", time: Date.now() }),
  });
  if (!reply.ok) throw new Error(`Enrollment: ${reply.status} ${await reply.text()}`);
  const { claimingCode } = (await reply.json()) as { claimingCode: string };
  await api.put(`/api/sensor/${id}`, { claimable: true });
  return { id, code: claimingCode };
}

const width = 640;
const height = 480;

async function film(file: string, text: string): Promise<void> {
  const modules = encodeQR(text, "raw", { border: 4 });
  const size = Math.floor(380 / modules.length);
  const picture = Buffer.alloc(width * height, 176);
  modules.forEach((row, y) =>
    row.forEach((dark, x) => {
      for (let line = 0; line < size; line += 1) {
        const at = (40 + y * size + line) * width + 110 + x * size;
        picture.fill(dark ? 30 : 225, at, at + size);
      }
    }),
  );
  const grey = Buffer.alloc((width * height) / 2, 128);
  const head = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
  await writeFile(file, Buffer.concat([head, Buffer.from("FRAME\n"), picture, grey]));
}

/** The caller must close the browser. */
export async function launchBrowserWithCamera(text: string, file: string): Promise<Browser> {
  await film(file, text);
  const options = await findChromium();
  const camera = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"];
  return chromium.launch({
    ...options,
    args: [...options.args, ...camera, `--use-file-for-fake-video-capture=${file}`],
  });
}
