// Opens boxes that libsodium sealed (OC-03).
import { expect, test } from "vitest";
import { deriveBoxKeys, openSealed } from "./sealed-box.ts";

const keys = deriveBoxKeys("a".repeat(40));
/** Made with libsodium-wrappers 0.8.4: `crypto_box_seal("a login", publicKey)`. */
const publicKey = "bYYelhjNdPUOxYJq0JFwccz+TdPsOMPOP2qKJ+FY+Dc=";
const box = Buffer.from("1IQzqWhkyTgGrei2mONdfbfPOhWfQ_hg5FEnu_QJEWLNyJ8EAUPbLGmU7n8jMA7qjdMJps-l-Q", "base64url");

test("OC-03 opens what libsodium sealed for the key, and nothing modified or for another key", () => {
  expect(Buffer.from(keys.publicKey).toString("base64")).toBe(publicKey);
  expect(Buffer.from(openSealed(keys, box) ?? []).toString()).toBe("a login");
  for (let at = 0; at < box.length; at += 1) {
    const altered = Uint8Array.from(box, (byte, index) => (index === at ? byte ^ 1 : byte));
    expect(openSealed(keys, altered), String(at)).toBeNull();
  }
  expect(openSealed(keys, box.subarray(0, 47))).toBeNull();
  expect(openSealed(deriveBoxKeys("b".repeat(40)), box)).toBeNull();
  expect(openSealed(keys, new Uint8Array(60))).toBeNull();
});
