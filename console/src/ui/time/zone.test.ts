// Time zones in browsers without Temporal.
import { checkZone, zonesWithChanges } from "@psp/contract/kit/zone.testing.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const native = Object.getOwnPropertyDescriptor(globalThis, "Temporal") ?? {};

beforeEach(() => {
  Reflect.deleteProperty(globalThis, "Temporal");
  vi.resetModules();
});
afterEach(() => void Object.defineProperty(globalThis, "Temporal", native));

test("MO-04 without Temporal in the browser, local times around clock changes are those of Intl", async () => {
  expect(globalThis).not.toHaveProperty("Temporal");
  const { zoneOf } = await import("./zone.ts");
  expect(globalThis.Temporal).not.toBe(native.value);
  for (const zone of zonesWithChanges.map(zoneOf)) {
    const { from, to } = zone.spanAt(Date.UTC(2011, 11, 1));
    for (const ms of [Date.UTC(2026, 10, 27, 12), from, to - 1, to])
      if (Number.isFinite(ms) && ms < Date.UTC(2035, 0, 1)) checkZone(zone, ms);
  }
});
