// State of the REST interface of an older APS: password, counters and pending update.
import { randomBytes } from "node:crypto";
import type { Tally } from "../counting/tally.ts";

export type RestInterface = {
  /** Shared by both users. */
  readonly password: string;
  readonly key: Buffer;
  /** Running totals since the last reset, by line: in and out. */
  totals: Map<string, { adult: [number, number]; child: [number, number] }>;
  update: { url: string; until: number } | null;
  working: boolean;
};

export function createRestInterface(password: string, update: RestInterface["update"] = null): RestInterface {
  return { password, key: randomBytes(32), totals: new Map(), update, working: false };
}

export function addTotals(rest: RestInterface, tally: Tally, sign: 1 | -1 = 1): void {
  for (const { id, adult, child } of tally.lines) {
    const before = rest.totals.get(id) ?? { adult: [0, 0], child: [0, 0] };
    const plus = (a: [number, number], b: [number, number]): [number, number] => [
      a[0] + sign * b[0],
      a[1] + sign * b[1],
    ];
    rest.totals.set(id, { adult: plus(before.adult, adult), child: plus(before.child, child) });
  }
}
