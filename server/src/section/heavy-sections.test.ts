// Tests that section values which a naive validator would process slowly are refused at once
// (docs/rules/api.md#input-rule).
import { validateSection } from "@psp/contract/section/check/check.ts";
import { validateRpc } from "@psp/contract/section/rpc.ts";
import { allPathsOf, validValues, setConfigRequest, replaceAt } from "@psp/contract/section/section.testing.ts";
import { sectionsOf } from "@psp/contract/section/sections.ts";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { expect, test } from "vitest";
import { heavyTexts } from "../testing/requests/text-places.ts";

const every = Object.entries(sectionsOf).flatMap(([type, list]) =>
  list.map(({ key }) => [type as SensorType, key] as const),
);
/** CPU time of this thread, the minimum of three attempts, because the machine may be busy. */
function costOf(work: () => unknown): number {
  const once = () => {
    const { user, system } = process.threadCpuUsage();
    work();
    const now = process.threadCpuUsage();
    return (now.user - user + now.system - system) / 1000;
  };
  return Math.min(once(), once(), once());
}

test("ER-03 T-26 a mebibyte in any value of a section is refused at once", { tags: "prove" }, () => {
  const mebibyte = 1024 * 1024;
  const heavy: unknown[] = [
    ...Object.values(heavyTexts()),
    `https://${"a".repeat(mebibyte)}`,
    `https://${"-".repeat(mebibyte)}@`,
    Array<number>(mebibyte / 2).fill(0),
    Array.from({ length: mebibyte / 40 }, (_, n) => ({ id: `i${n}`, name: `Name ${n}`, levelId: "l1" })),
    Array<unknown>(mebibyte / 16).fill({ x: 1, y: 1 }),
    Object.fromEntries(Array.from({ length: mebibyte / 16 }, (_, n) => [`key${n}`, 0])),
  ];
  const slow: string[] = [];
  for (const [type, key] of every) {
    const right = validValues(type, key);
    for (const path of allPathsOf(right)) {
      for (const [n, value] of heavy.entries()) {
        const values = replaceAt(right, path, value);
        expect(
          validateRpc(type, setConfigRequest(key, values)).fault,
          `${type} ${key} ${path.join(".")}: ${n}`,
        ).toBeDefined();
        const cost = costOf(() => {
          validateSection(type, key, values);
          validateRpc(type, setConfigRequest(key, values));
        });
        if (cost >= 50) slow.push(`${type} ${key} ${path.join(".")}: ${n} takes ${cost} ms`);
      }
    }
  }
  expect(slow).toEqual([]);
});
