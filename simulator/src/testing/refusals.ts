// Values that a sensor has to refuse, in tables: what is sent, where it is refused, and with which sentence.
import { expect } from "vitest";
import type { Stage } from "./stage.ts";
import { methodsOf } from "./tunnel.ts";

export type Case = [string, object, string, string];

/** Each is refused at its path with its sentence, and nothing is stored. */
export async function expectRefused(made: Stage, section: string, cases: readonly Case[]): Promise<void> {
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

export const long = (n: number): string => "x".repeat(n);
