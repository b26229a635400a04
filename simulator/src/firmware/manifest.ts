// Checks of a firmware manifest: the signature over its canonical JSON, and whether it fits this device.
import { createPublicKey, verify } from "node:crypto";
import { semverKey } from "@psp/contract/firmware/semver.ts";
import { canonicalJson, type Json } from "@psp/contract/kit/canonical-json.ts";
import type { FirmwareManifest } from "@psp/contract/sensor/sensor.device.ts";

const ed25519Spki = Buffer.from("302a300506032b6570032100", "hex");

/** True when `sig` (base64) signs the manifest without `sig` under the raw 32-byte key (base64). */
function isSigned(manifest: unknown, fwKey: string | null): boolean {
  if (!fwKey || typeof manifest !== "object" || manifest === null) return false;
  const { sig, ...signed } = manifest as Record<string, Json>;
  if (typeof sig !== "string") return false;
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
  if (manifest.minFrom && semverKey(device.fw) < semverKey(manifest.minFrom))
    return { code: "CLASS", message: `Needs ${manifest.minFrom} first` };
  if (manifest.seq <= device.fwSeq)
    return { code: "ROLLBACK_SEQ", message: `Sequence ${manifest.seq} is not above the installed ${device.fwSeq}` };
  if (manifest.size > roomBytes) return { code: "SPACE", message: `No room for ${manifest.size} bytes` };
  if (manifest.exp <= device.now) return { code: "EXPIRED", message: "The manifest has expired" };
  return null;
}
