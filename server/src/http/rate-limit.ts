// Budgets per key: a fixed number of tries per window, kept in bounded memory.
import { isIPv6 } from "node:net";
import type { Clock } from "../clock.ts";

export type Budget = {
  /** Takes one try; answers 0 when allowed, else the seconds to wait. */
  take(key: string): number;
  /** Seconds to wait without taking a try; 0 when there is room. */
  peek(key: string): number;
  /** Gives the tries of a key back. */
  reset(key: string): void;
};

/** `max` tries per `windowMs`; beyond `maxKeys` the oldest keys are forgotten first. */
export function createBudget(clock: Clock, max: number, windowMs: number, maxKeys = 100_000): Budget {
  const windows = new Map<string, { from: number; used: number }>();
  const current = (key: string) => {
    const found = windows.get(key);
    if (found && clock.now() - found.from < windowMs) return found;
    return null;
  };
  const wait = (from: number) => Math.max(1, Math.ceil((from + windowMs - clock.now()) / 1000));
  return {
    take(key) {
      const open = current(key);
      if (open) {
        if (open.used >= max) return wait(open.from);
        open.used += 1;
        return 0;
      }
      windows.delete(key);
      windows.set(key, { from: clock.now(), used: 1 });
      if (windows.size > maxKeys) windows.delete(windows.keys().next().value ?? "");
      return 0;
    },
    peek(key) {
      const open = current(key);
      return open && open.used >= max ? wait(open.from) : 0;
    },
    reset(key) {
      windows.delete(key);
    },
  };
}

/** Whoever has one IPv6 address has a whole /64 of them. */
export function clientKey(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const zeros = address.includes("::") ? 8 - groups.length - tail.split(":").filter(Boolean).length : 0;
  return [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => "0")].slice(0, 4).join(":");
}
