// Counts wrong passwords in all processes, because a load balancer gives each attempt to another one.
import { createHmac, randomUUID } from "node:crypto";
import type { Context } from "../context.ts";
import type { RateLimit } from "../kit/limits/rate-limit.ts";

export type SharedTries = RateLimit & {
  /** Call it for each wrong password, besides taking it from the budget here. */
  tellWrong(key: string): void;
};

/**
 * Adds the wrong passwords of other processes to `budget`, and resets it if one of them does. A lost message allows one
 * more attempt. `kind` separates budgets. Keys hold addresses of people, so messages contain only hashes, which are keyed.
 */
export function shareTries(
  { bus, config }: Pick<Context, "bus" | "config">,
  kind: string,
  budget: RateLimit,
): SharedTries {
  const process = randomUUID();
  const hashOf = (key: string) =>
    createHmac("sha256", config.secrets.session).update(`psp tries v1\0${kind} ${key}`).digest("base64url");
  const tell = (key: string, isWrong: boolean) =>
    bus.send({ name: "passwordTried", event: { process, key: hashOf(key), kind, isWrong } });
  bus.on("passwordTried", (tried) => {
    if (tried.process === process || tried.kind !== kind) return;
    if (tried.isWrong) budget.take(tried.key);
    else budget.reset(tried.key);
  });
  return {
    take: (key) => budget.take(hashOf(key)),
    peek: (key) => budget.peek(hashOf(key)),
    giveBack: (key) => budget.giveBack(hashOf(key)),
    reset(key) {
      budget.reset(hashOf(key));
      tell(key, false);
    },
    tellWrong: (key) => tell(key, true),
  };
}
