// Rate limits: budgets per key in fixed windows with bounded memory, and a token bucket.
import { isIPv4, isIPv6, SocketAddress } from "node:net";
import type { Clock } from "../clock.ts";

export type RateLimit = ReturnType<typeof createRateLimit>;

/** `max` attempts per `windowMs`; beyond `maxKeys` the oldest keys are dropped. */
export function createRateLimit(clock: Clock, max: number, windowMs: number, maxKeys = 100_000) {
  const windows = new Map<string, { from: number; used: number }>();
  const current = (key: string) => {
    const found = windows.get(key);
    if (found && clock.now() - found.from < windowMs) return found;
    return null;
  };
  const wait = (from: number) => Math.max(1, Math.ceil((from + windowMs - clock.now()) / 1000));
  return {
    /** Takes one attempt; returns 0 if allowed, else the seconds to wait. */
    take(key: string): number {
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
    peek(key: string): number {
      const open = current(key);
      return open && open.used >= max ? wait(open.from) : 0;
    },
    /** Refunds an attempt that should not count. */
    giveBack(key: string) {
      const open = current(key);
      if (open && open.used > 0) open.used -= 1;
    },
    reset(key: string) {
      windows.delete(key);
    },
  };
}

/** Combines several budgets of the same key. If one budget refuses an attempt, none is charged. */
export function combineLimits(budgets: readonly RateLimit[]): RateLimit {
  const maxWait = (key: string) => Math.max(...budgets.map((budget) => budget.peek(key)));
  return {
    peek: maxWait,
    take(key) {
      const wait = maxWait(key);
      if (wait === 0) for (const budget of budgets) budget.take(key);
      return wait;
    },
    giveBack: (key) => budgets.forEach((budget) => budget.giveBack(key)),
    reset: (key) => budgets.forEach((budget) => budget.reset(key)),
  };
}

/** The key of all clients with an invalid address. Otherwise, each spelling would have its own budget. */
const unknownClient = "unknown";

/** Normalizes spellings, drops ports, and reduces IPv6 addresses to their /64, because a client usually owns a whole /64. */
export function clientKey(given: string): string {
  const bare = withoutPort(given).replace(/%.*$/, "");
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return unknownClient;
  const { address } = new SocketAddress({ address: bare, family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = "", tail = ""] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const zeros = address.includes("::") ? 8 - groups.length - tail.split(":").filter(Boolean).length : 0;
  return [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => "0")].slice(0, 4).join(":");
}

/** Some proxies forward the port as well: `192.0.2.1:443`, `[2001:db8::1]:443`. */
function withoutPort(given: string): string {
  const { bracketed, plain } = /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[\d.]+))(?::\d+)?$/.exec(given)?.groups ?? {};
  return bracketed ?? plain ?? given;
}

/** A bucket of tokens that refills with time. `delayMs` takes a token and returns how long the message must wait. */
export type TokenBucket = ReturnType<typeof createTokenBucket>;

export function createTokenBucket(perSecond: number, burst: number) {
  let tokens = burst;
  let last = 0;
  return {
    delayMs(now: number): number {
      tokens = Math.min(burst, tokens + (Math.max(0, now - last) * perSecond) / 1000);
      last = now;
      tokens -= 1;
      return tokens >= 0 ? 0 : Math.ceil((-tokens * 1000) / perSecond);
    },
  };
}
