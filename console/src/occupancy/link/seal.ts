// Encrypts for a public key, in the format of libsodium's sealed boxes (`crypto_box_seal`).
import { xsalsa20poly1305, hsalsa } from "@noble/ciphers/salsa.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";

const keyBytes = 32;
const nonceBytes = 24;

/** Constant that Salsa20 defines. */
const sigma = wordsOf(new TextEncoder().encode("expand 32-byte k"));

/** Little-endian. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, n) => view.getUint32(n * 4, true));
}

function bytesOf(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [n, word] of words.entries()) view.setUint32(n * 4, word, true);
  return bytes;
}

/** Derives the shared key from the X25519 shared secret, using HSalsa20. */
function boxKey(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const key = new Uint32Array(8);
  hsalsa(sigma, wordsOf(x25519.getSharedSecret(secretKey, publicKey)), new Uint32Array(4), key);
  return bytesOf(key);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Encrypts with an ephemeral key pair. Its public key precedes the box, and the nonce is derived from both public keys. */
export function seal(message: Uint8Array, publicKey: Uint8Array): Uint8Array {
  if (publicKey.length !== keyBytes) throw new Error("The public key is not 32 bytes long");
  const own = x25519.keygen();
  const nonce = blake2b(joined(own.publicKey, publicKey), { dkLen: nonceBytes });
  const box = xsalsa20poly1305(boxKey(own.secretKey, publicKey), nonce).encrypt(message);
  return joined(own.publicKey, box);
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.codePointAt(0) ?? 0);
const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");

/** Query parameter `k` of a link. Contains the login, encrypted for the server (docs/rules/occupancy.md#application-link). */
export function sealLogin(login: { email: string; password: string }, publicKey: string): string {
  const { email, password } = login;
  return toBase64Url(seal(new TextEncoder().encode(JSON.stringify({ email, password })), fromBase64(publicKey)));
}
