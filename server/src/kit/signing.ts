// The key that signs firmware: an Ed25519 pair derived from the configured secret, the same on every start.
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** DER of a PKCS#8 Ed25519 private key up to its 32 bytes (RFC 8410). */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");
const rawBytes = 32;

/** Signs manifests. Any secret text serves as seed; it is hashed to the 32 bytes that the curve wants. */
export function firmwareSigningKey(secret: string): KeyObject {
  const seed = createHash("sha256").update("psp firmware signing v1\0").update(secret).digest();
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: "der", type: "pkcs8" });
}

/** What devices check with: the raw 32 bytes in base64, `fwKey` of the enrollment answer. */
export function firmwarePublicKey(secret: string): string {
  const spki = createPublicKey(firmwareSigningKey(secret)).export({ format: "der", type: "spki" });
  return spki.subarray(-rawBytes).toString("base64");
}
