// Tests time zones in browsers without Temporal.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkZone, zonesWithChanges } from "./zone.testing.ts";
import { zoneOf as withTemporal } from "./zone.ts";

const native = Object.getOwnPropertyDescriptor(globalThis, "Temporal") ?? {};

beforeEach(() => {
  Reflect.deleteProperty(globalThis, "Temporal");
  vi.resetModules();
});
afterEach(() => void Object.defineProperty(globalThis, "Temporal", native));

test.each(zonesWithChanges)(
  "MO-04 without Temporal, local times of %s around clock changes are right",
  async (name) => {
    const changes = [Date.UTC(2011, 11, 1), Date.UTC(2018, 10, 20), Date.UTC(2023, 9, 20), Date.UTC(2026, 10, 27)].map(
      (ms) => {
        Object.defineProperty(globalThis, "Temporal", native);
        const { from } = withTemporal(name).spanAt(ms);
        Reflect.deleteProperty(globalThis, "Temporal");
        return from;
      },
    );
    expect(globalThis).not.toHaveProperty("Temporal");
    const { zoneOf } = await import("./zone.ts");
    const zone = zoneOf(name);
    for (const change of [...changes.filter(Number.isFinite), Date.UTC(2026, 10, 27, 12)])
      for (const ms of [change - 3_600_000, change - 1, change, change + 1_800_000]) checkZone(zone, ms);
  },
);

test("MO-04 without Temporal, unknown zones are UTC", async () => {
  const { zoneOf } = await import("./zone.ts");
  expect(zoneOf("Mars/Base").name).toBe("UTC");
});
