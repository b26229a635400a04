// Tests that only the passphrase opens a sealed content, and only the unmodified one.
import { expect, test } from "vitest";
import { openWithPassphrase, sealWithPassphrase } from "./seal.rules.ts";

test("only the right passphrase opens the content, and no byte of it can change", () => {
  const content = Buffer.from("session secret");
  const sealed = sealWithPassphrase("copper-meadow-whistle", content);
  expect(sealed.includes(content)).toBe(false);
  expect(openWithPassphrase("copper-meadow-whistle", sealed)).toEqual(content);
  expect(openWithPassphrase("copper-meadow-whistlE", sealed)).toBeNull();
  for (const at of [0, 20, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openWithPassphrase("copper-meadow-whistle", changed), `byte ${at}`).toBeNull();
  }
});
