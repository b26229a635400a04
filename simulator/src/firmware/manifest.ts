// Checks of a firmware manifest: the signature over its canonical JSON, and whether it fits this device.
import { createPublicKey, verify } from "node:crypto";
import type { FirmwareManifest } from "@psp/contract/sensor/sensor.device.ts";

/** JSON in its one canonical form (RFC 8785): keys in UTF-16 order, no spaces, numbers as ECMAScript prints them. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}

const ed25519Spki = Buffer.from("302a300506032b6570032100", "hex");

/** True when `sig` (base64) signs the manifest without `sig` under the raw 32-byte key (base64). */
export function isSigned(manifest: unknown, fwKey: string | null): boolean {
  if (
    !fwKey ||
    typeof manifest !== "object" ||
    manifest === null ||
    !("sig" in manifest) ||
    typeof manifest.sig !== "string"
  )
    return false;
  const { sig, ...signed } = manifest;
  try {
    const key = createPublicKey({
      key: Buffer.concat([ed25519Spki, Buffer.from(fwKey, "base64")]),
      format: "der",
      type: "spki",
    });
    return verify(null, Buffer.from(canonicalJson(signed)), key, Buffer.from(sig, "base64"));
  } catch {
    return false;
  }
}

/** Order of two versions by SemVer 2.0: negative when `a` comes before `b`. */
export function compareVersions(a: string, b: string): number {
  const [coreA, preA] = cut(a);
  const [coreB, preB] = cut(b);
  return (
    compareParts(coreA, coreB) ||
    (preA === undefined ? (preB === undefined ? 0 : 1) : preB === undefined ? -1 : compareParts(preA, preB))
  );
}

function cut(version: string): [string, string | undefined] {
  const plain = version.split("+")[0] ?? "";
  const dash = plain.indexOf("-");
  return dash < 0 ? [plain, undefined] : [plain.slice(0, dash), plain.slice(dash + 1)];
}

function compareParts(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [x, y] = [left[index], right[index]];
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    const [isNumberX, isNumberY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (isNumberX !== isNumberY) return isNumberX ? -1 : 1;
    const order = isNumberX ? Number(x) - Number(y) : x < y ? -1 : x > y ? 1 : 0;
    if (order) return order;
  }
  return 0;
}

const roomBytes = 512 * 1024 * 1024;

export type Refused = { code: string; message: string };

/** Why this device will not take the firmware, or null (device-protocol 4.11, INITIATE). */
export function refusalOf(
  manifest: FirmwareManifest,
  raw: unknown,
  device: { type: string; fw: string; fwSeq: number; fwKey: string | null; now: number },
): Refused | null {
  if (!isSigned(raw, device.fwKey)) return { code: "SIG", message: "The signature does not fit the manifest" };
  if (manifest.type !== device.type || manifest.class !== device.type)
    return { code: "CLASS", message: `Made for ${manifest.class}, this is a ${device.type}` };
  if (manifest.minFrom && compareVersions(device.fw, manifest.minFrom) < 0)
    return { code: "CLASS", message: `Needs ${manifest.minFrom} first` };
  if (manifest.seq <= device.fwSeq)
    return { code: "ROLLBACK_SEQ", message: `Sequence ${manifest.seq} is not above the installed ${device.fwSeq}` };
  if (manifest.size > roomBytes) return { code: "SPACE", message: `No room for ${manifest.size} bytes` };
  if (manifest.exp <= device.now) return { code: "EXPIRED", message: "The manifest has expired" };
  return null;
}
