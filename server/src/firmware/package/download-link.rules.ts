// Signed links that let a device download one firmware until they expire, without a session (docs/rules/firmware.md#downloads).
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { Config } from "../../config.ts";

/** Maximum lifetime of a link; packages of deleted firmware are kept this long. */
export const maxLinkLifetimeMs = 8 * 86_400_000;
const downloadPath = "/device/fw/";

const idBytes = 16;
const expiryBytes = 4;
const macBytes = 16;

function macOf(config: Config, claim: Buffer): Buffer {
  const key = Buffer.from(hkdfSync("sha256", config.secrets.session, "", "psp firmware link v1", 32));
  return createHmac("sha256", key).update(claim).digest().subarray(0, macBytes);
}

export function downloadUrl(config: Config, base: string, firmwareId: string, expiresAt: number): string {
  const claim = Buffer.alloc(idBytes + expiryBytes);
  claim.write(firmwareId.replaceAll("-", ""), 0, "hex");
  claim.writeUInt32BE(Math.floor(expiresAt / 1000), idBytes);
  const url = `${base}${downloadPath}${Buffer.concat([claim, macOf(config, claim)]).toString("base64url")}`;
  if (url.length > 255) throw new Error("The public address is too long: devices take links of at most 255 characters");
  return url;
}

/** The firmware id, or null for an invalid or expired token; `now` in ms. */
export function readDownloadToken(config: Config, token: string, now: number): string | null {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== idBytes + expiryBytes + macBytes || bytes.toString("base64url") !== token) return null;
  const claim = bytes.subarray(0, idBytes + expiryBytes);
  if (!timingSafeEqual(bytes.subarray(idBytes + expiryBytes), macOf(config, claim))) return null;
  if (claim.readUInt32BE(idBytes) * 1000 <= now) return null;
  return claim.toString("hex", 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
