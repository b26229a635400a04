// Changing the logins of one's own account takes the current password; guessing it is as slow as at sign-in (ADR 0048).
import { AppError, tooMany } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import type { Context } from "../context.ts";
import { createRateLimit } from "../limits/rate-limit.ts";
import { isPasswordOf } from "../credential/password.service.ts";

const wrongTries = { max: 5, windowMs: 60_000 };

/**
 * Returns a function that throws 106 unless it is given the current password of the caller's login, and 429 after five
 * wrong ones within a minute. Counted by login and not by client: a stolen session must not win tries by moving.
 */
export function createPasswordCheck(ctx: Context) {
  const budget = createRateLimit(ctx.clock, wrongTries.max, wrongTries.windowMs);
  return async ({ credentialId }: Caller, password: string, field: string): Promise<void> => {
    // Taken before it is compared: tries in parallel must not all count as the last one.
    const wait = budget.take(credentialId);
    if (wait > 0) throw tooMany(wait);
    if (!(await isPasswordOf(ctx, credentialId, password)))
      throw new AppError(106, { field, reason: "The current password is wrong" });
    budget.reset(credentialId);
  };
}
