// Builds the signed manifest of a firmware for a device, with a download link (docs/device-protocol.md#firmware).
import { createPublicKey, sign, verify } from "node:crypto";
import type { FirmwareManifest } from "@psp/contract/device/device-messages.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import type { Context } from "../context.ts";
import type { Reader } from "../db/database.ts";
import { canonicalJson, type Json } from "@psp/contract/firmware/canonical-json.ts";
import { downloadUrl, maxLinkLifetimeMs } from "./package/download-link.rules.ts";
import { firmwareSigningKey } from "../kit/signing.ts";
import { findFirmwareWithFile } from "./firmware.store.ts";

/** Hours within which a device may start and retry the installation. */
export const defaultInstallWindowH = 48;
const hourMs = 3_600_000;
const vendor = "PS";

type Facts = { type: SensorType; size: number; sha256: string; md5: string };
/** Firmware with a complete file that still matches its signature. */
export type InstallableFirmware = Facts & { id: string; version: string; seq: number; isDeleted: boolean };

const statement = ({ type, size, sha256, md5 }: Facts) => Buffer.from(canonicalJson({ v: 1, type, size, sha256, md5 }));

/** Signs the properties of the file with Ed25519, in Base64. Called at the upload; verified before any delivery. */
export function signPackage(secret: string, facts: Facts): string {
  return sign(null, statement(facts), firmwareSigningKey(secret)).toString("base64");
}

function isAsSigned(secret: string, facts: Facts, signature: string): boolean {
  const key = createPublicKey(firmwareSigningKey(secret));
  return verify(null, statement(facts), key, Buffer.from(signature, "base64"));
}

/**
 * Finds installable firmware by id, including deleted firmware that still has open tasks. Skips firmware without a file, and rows that
 * no longer match their signature, which must not reach devices.
 */
export async function findInstallableFirmware(ctx: Context, reader: Reader, ids: readonly string[]) {
  const found = new Map<string, InstallableFirmware>();
  if (ids.length === 0) return found;
  const rows = await findFirmwareWithFile(reader, ids);
  for (const { id, name, size, sha256, md5, seq, signature, is_deleted, ...row } of rows) {
    if (size === null || sha256 === null || md5 === null || seq === null || signature === null) continue;
    const facts = { type: row.type as SensorType, size: Number(size), sha256, md5 };
    if (isAsSigned(ctx.config.secrets.firmware, facts, signature))
      found.set(id, { id, ...facts, version: name, seq: Number(seq), isDeleted: is_deleted });
    else ctx.log.error({ firmware: id }, "a firmware does not fit its signature and is not given to devices");
  }
  return found;
}

/**
 * Builds the content of `desired.fw`, signed over its canonical form without `sig`. `job` is the id of the task; a new id means a new
 * installation. `base` is the URL at which devices reach this server. `at` (ms) is when the task could begin. It determines the
 * expiry, so the manifest of a task never changes.
 */
export function buildFirmwareManifest(
  ctx: Context,
  firmware: InstallableFirmware,
  { job, base, at }: { job: string; base: string; at: number },
): FirmwareManifest {
  const exp = at + defaultInstallWindowH * hourMs;
  const unsigned = {
    job,
    artifact: firmware.id,
    type: firmware.type,
    version: firmware.version,
    // One hour longer than the device may try, so that a download in progress can finish.
    url: downloadUrl(ctx.config, base, firmware.id, Math.min(exp + hourMs, at + maxLinkLifetimeMs)),
    size: firmware.size,
    sha256: firmware.sha256,
    md5: firmware.md5,
    seq: firmware.seq,
    vendor,
    class: firmware.type,
    minFrom: null,
    exp,
    window: null,
    validH: defaultInstallWindowH,
  } satisfies Omit<FirmwareManifest, "sig"> & Json;
  const sig = sign(null, Buffer.from(canonicalJson(unsigned)), firmwareSigningKey(ctx.config.secrets.firmware));
  return { ...unsigned, sig: sig.toString("base64") };
}
