// Sealed boxes of libsodium (crypto_box_seal): anyone can seal with the public key, only the server can open.
import { createHash } from "node:crypto";
import { xsalsa20poly1305, hsalsa } from "@noble/ciphers/salsa.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";

const keyBytes = 32;
const tagBytes = 16;
/** "expand 32-byte k", as four words. */
const sigma = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);

type BoxKeys = { secretKey: Uint8Array; publicKey: Uint8Array };

const made = new Map<string, BoxKeys>();

/** Derived from any secret text; the same on every start. */
export function deriveBoxKeys(secret: string): BoxKeys {
  return made.getOrInsertComputed(secret, makeKeys);
}

function makeKeys(secret: string): BoxKeys {
  const secretKey = createHash("sha256").update("psp display links v1\0").update(secret).digest();
  return { secretKey, publicKey: x25519.getPublicKey(secretKey) };
}

/** Null if the box was sealed for other keys or modified. */
export function openSealed({ secretKey, publicKey }: BoxKeys, box: Uint8Array): Uint8Array | null {
  if (box.length < keyBytes + tagBytes) return null;
  const sender = box.subarray(0, keyBytes);
  const nonce = blake2b(Buffer.concat([sender, publicKey]), { dkLen: 24 });
  try {
    return xsalsa20poly1305(sharedKey(secretKey, sender), nonce).decrypt(box.subarray(keyBytes));
  } catch {
    return null;
  }
}

/** Derives the box key of two key pairs: HSalsa20 of their shared curve point. */
function sharedKey(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const point = x25519.getSharedSecret(secretKey, publicKey);
  const key = new Uint32Array(keyBytes / 4);
  hsalsa(sigma, words(point), new Uint32Array(4), key);
  return new Uint8Array(key.buffer);
}

/** Words in the machine's byte order, which is little-endian on all supported platforms. */
function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}
