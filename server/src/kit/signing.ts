// The Ed25519 key pair that signs firmware, derived from the configured secret: the same on every start.
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** Signs manifests. The secret may be any text: its hash is the seed of the key. */
export function firmwareSigningKey(secret: string): KeyObject {
  const key = createHash("sha256").update("psp firmware signing v1\0").update(secret).digest();
  return createPrivateKey({ key, format: "raw-private", asymmetricKeyType: "ed25519" });
}

/** The raw public key in base64, which devices receive as `fwKey` when they enroll. */
export function firmwarePublicKey(secret: string): string {
  return createPublicKey(firmwareSigningKey(secret)).export({ format: "raw-public" }).toString("base64");
}
