// Table-driven tests of rejected section values.
import { expect } from "vitest";
import type { TestSensor } from "./test-sensor.ts";
import { methodsOf } from "./tunnel.ts";

export type Case = [string, object, string, string];

/** Expects each case to be refused with its message at its path, and nothing to be stored. */
export async function expectRefused(made: TestSensor, section: string, cases: readonly Case[]): Promise<void> {
  const { get, refusal } = methodsOf(made);
  const before = await get(section);
  for (const [what, some, path, message] of cases) {
    const { code, data } = await refusal(section, some);
    expect(code, what).toBe(-32602);
    expect(data?.fields, what).toContainEqual({ path, message });
  }
  expect((await get(section)).values).toEqual(before.values);
  expect((await get(section)).rev).toBe(before.rev);
}

export const textOfLength = (n: number): string => "x".repeat(n);
