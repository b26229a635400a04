// Tests that sealed boxes can be opened by the steps that libsodium documents, which also open a box by libsodium (OC-03).
import { hsalsa, xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { expect, test } from "vitest";
import { seal, sealLogin } from "./seal.ts";

const words = (bytes: Uint8Array) => new Uint32Array(bytes.slice().buffer);
const sigma = words(new TextEncoder().encode("expand 32-byte k"));
const base64 = (bytes: Uint8Array) => btoa(String.fromCodePoint(...bytes));
const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (two) => Number.parseInt(two, 16));

function boxKey(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const key = new Uint32Array(8);
  hsalsa(sigma, words(x25519.getSharedSecret(secretKey, publicKey)), new Uint32Array(4), key);
  return new Uint8Array(key.buffer);
}

/** Implements libsodium's `crypto_box_seal_open`. */
function open(box: Uint8Array, secretKey: Uint8Array): string {
  const own = box.slice(0, 32);
  const mine = x25519.getPublicKey(secretKey);
  const nonce = blake2b(Uint8Array.from([...own, ...mine]), { dkLen: 24 });
  return new TextDecoder().decode(xsalsa20poly1305(boxKey(secretKey, own), nonce).decrypt(box.slice(32)));
}

/** A box that libsodium created, with the content "PS.Platform". */
const theirs = {
  secretKey: bytes("2fad39fefd7fa3e200a9c626eef599e61a2d055c48a8288a4e7e4c4bca3928f8"),
  box: bytes(
    "9692b1622e552679d0ac04d56106685c2e28438d600d6869c2e174b4147469539b8882705e21b54f15c46ffe37b92f6c2b977522d66d3c177a531c",
  ),
};

test("OC-03 a box of libsodium's is opened by the same steps", () => {
  expect(open(theirs.box, theirs.secretKey)).toBe("PS.Platform");
});

test("OC-03 what is sealed only the other half of the key opens, and no two boxes are alike", () => {
  const { secretKey, publicKey } = x25519.keygen();
  const message = new TextEncoder().encode("hello");
  const [one, two] = [seal(message, publicKey), seal(message, publicKey)];
  expect(one.length).toBe(message.length + 48);
  expect(base64(one)).not.toBe(base64(two));
  expect(open(one, secretKey)).toBe("hello");
  expect(() => open(one, x25519.keygen().secretKey)).toThrow();
});

test("OC-03 a login travels as base64url, with its accents, and with nothing else", () => {
  const { secretKey, publicKey } = x25519.keygen();
  const k = sealLogin({ email: "türe@example.com", password: "pa+ss/ü" }, base64(publicKey));
  expect(k).toMatch(/^[\w-]+$/);
  const box = Uint8Array.from(
    atob(k.replaceAll("-", "+").replaceAll("_", "/")),
    (letter) => letter.codePointAt(0) ?? 0,
  );
  expect(JSON.parse(open(box, secretKey))).toEqual({ email: "türe@example.com", password: "pa+ss/ü" });
});

test("OC-03 a key that is none makes no link", () => {
  expect(() => seal(new Uint8Array(3), new Uint8Array(31))).toThrow("32 bytes");
});
