// Limits sign-in attempts per email address and client (T-10), and handles authentication and logout of the live socket. Checks of
// one's own current password are limited the same way (ADR 0009).
import { errorCode } from "@psp/contract/errors.ts";
import { AppError, tooManyRequests } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { createKeyedQueue } from "../kit/limits/keyed-queue.ts";
import { combineLimits, type RateLimit, clientKey, createRateLimit } from "../kit/limits/rate-limit.ts";
import type { SessionService } from "../credential/session.service.ts";
import type { AuthGuard } from "./auth.routes.ts";
import * as auth from "./auth.service.ts";
import type { Caller } from "../kit/caller.ts";
import { evaluatePassword, isPasswordOf } from "../credential/password.service.ts";
import { forgotPassword } from "./reset.service.ts";
import { shareTries } from "./tries.guard.ts";

const wrongTries = { max: 5, windowMs: 60_000 };
/** Limits per client, summed over all email addresses. */
const wrongPerClient = [
  { max: 50, windowMs: 60_000 },
  { max: 500, windowMs: 3_600_000 },
];
const forgottenPerClient = { max: 30, windowMs: 60_000 };
const judgedPerClient = { max: 60, windowMs: 60_000 };

export function createAuthGuard(ctx: Context, sessions: SessionService): AuthGuard {
  const budget = shareTries(ctx, "address", createRateLimit(ctx.clock, wrongTries.max, wrongTries.windowMs));
  const perClient = combineLimits(wrongPerClient.map(({ max, windowMs }) => createRateLimit(ctx.clock, max, windowMs)));
  const byClient = shareTries(ctx, "client", perClient);
  const forgotten = createRateLimit(ctx.clock, forgottenPerClient.max, forgottenPerClient.windowMs);
  const judged = createRateLimit(ctx.clock, judgedPerClient.max, judgedPerClient.windowMs);
  const tries = createAttemptLimit(byClient);
  const oneByOne = createKeyedQueue();
  const limited = (waitS: number): never => {
    ctx.metrics.logins.inc({ outcome: "limited" });
    throw tooManyRequests(waitS);
  };
  /** Serialized per email address and client, so that concurrent attempts can't exceed the limit. */
  function withAttemptLimit<T>(client: string, email: string, prove: () => Promise<T>): Promise<T> {
    const from = clientKey(client);
    const key = `${auth.normalizeEmail(email)} ${from}`;
    return oneByOne(key, async () => {
      const wait = budget.peek(key);
      if (wait > 0) return limited(wait);
      const leave = await tries.enter(from, limited);
      const proved = await prove().catch((error: unknown) => {
        const isWrong = error instanceof AppError && error.code === errorCode.unauthorized;
        leave(isWrong);
        if (isWrong) {
          budget.take(key);
          budget.tellWrong(key);
          byClient.tellWrong(from);
        }
        throw error;
      });
      leave(false);
      budget.reset(key);
      return proved;
    });
  }
  return {
    async login(client, input) {
      const opened = await withAttemptLimit(client, input.email, () => auth.login(ctx, input));
      const actor = await sessions.byToken(opened.token);
      if (!actor) throw new AppError(errorCode.unauthorized);
      return { ...opened, user: await auth.getSessionUser(ctx, actor) };
    },
    withVerifiedPassword: (client, input, then) =>
      withAttemptLimit(client, input.email, () => auth.withVerifiedPassword(ctx, { ...input, browser: null }, then)),
    evaluatePassword(client, input) {
      const wait = judged.take(clientKey(client));
      if (wait > 0) throw tooManyRequests(wait);
      return evaluatePassword(input.password, input);
    },
    async forgotPassword(client, input) {
      const wait = forgotten.take(clientKey(client));
      if (wait > 0) throw tooManyRequests(wait);
      await forgotPassword(ctx, input);
    },
    async admit(token) {
      const sessionId = await auth.redeemTicket(ctx, token);
      return sessionId === null ? sessions.byToken(token) : sessions.byId(sessionId);
    },
    logout: (actor) => auth.logout(ctx, actor.sessionId),
    presenceChanged(accountId) {
      auth
        .publishPresence(ctx, accountId)
        .catch((error: unknown) => ctx.log.warn({ err: error }, "presence was not noted"));
    },
  };
}

/**
 * Counts each running attempt of a key as wrong until its result is known. Attempts beyond the budget wait for a running one instead
 * of being refused at once, because a whole office may sign in at the same time.
 */
function createAttemptLimit(budget: RateLimit) {
  const underWay = new Map<string, Set<Promise<void>>>();
  return {
    async enter(key: string, refuse: (waitS: number) => never): Promise<(isWrong: boolean) => void> {
      for (let wait = budget.take(key); wait > 0; wait = budget.take(key)) {
        const others = underWay.get(key);
        if (!others) refuse(wait);
        await Promise.race(others);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const mine = underWay.get(key) ?? new Set();
      underWay.set(key, mine.add(promise));
      return (isWrong) => {
        if (!isWrong) budget.giveBack(key);
        mine.delete(promise);
        if (mine.size === 0) underWay.delete(key);
        resolve();
      };
    },
  };
}

/**
 * Returns a function that throws 106 for a wrong current password of the caller's login, and 429 after five wrong ones within a
 * minute. Counted per login, not per client, so that a stolen session gains no attempts by changing its IP address.
 */
export function createPasswordCheck(ctx: Context) {
  const budget = shareTries(ctx, "login", createRateLimit(ctx.clock, wrongTries.max, wrongTries.windowMs));
  return async ({ credentialId }: Caller, password: string, field: string): Promise<void> => {
    // Taken before the comparison, so that concurrent attempts are counted.
    const wait = budget.take(credentialId);
    if (wait > 0) throw tooManyRequests(wait);
    if (!(await isPasswordOf(ctx, credentialId, password))) {
      budget.tellWrong(credentialId);
      throw new AppError(errorCode.unauthorized, { field, reason: "The current password is wrong." });
    }
    budget.reset(credentialId);
  };
}
