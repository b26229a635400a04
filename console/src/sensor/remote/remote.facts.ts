// Reading what sensors answer: it comes from a device and is believed only as far as its form goes (SE-11).
import type { z } from "zod";
import type { RemoteAnswer } from "./useAsk.ts";

const imageTypes = new Set(["image/jpeg", "image/png", "image/webp"]);
const endings: Record<string, string> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };

/** The picture of a snapshot, or null for what can't be one. A sensor that names no type sends JPEG. */
export function pictureOf({ data, ct }: RemoteAnswer): Blob | null {
  const type = ct ?? "image/jpeg";
  if (data === "" || !imageTypes.has(type)) return null;
  return new Blob([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], { type });
}

/** `snapshot_021EC0123456_20261120T134501Z.png` */
export function pictureName(id: string, type: string, timestamp: number): string {
  const time = new Date(timestamp).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `snapshot_${id.replaceAll(":", "")}_${time}.${endings[type] ?? "img"}`;
}

/** The JSON of an answer in its expected form, or null. */
export function resultOf<S extends z.ZodType>(schema: S, { data }: RemoteAnswer): z.output<S> | null {
  try {
    return schema.parse(
      JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))),
    );
  } catch {
    return null;
  }
}
