// The guard in front of signing in: budgets per address and client, and the live socket's way in and out (T-10).
import { AppError, tooMany } from "../app-error.ts";
import type { Context } from "../context.ts";
import { clientKey, createBudget } from "../http/rate-limit.ts";
import type { Sessions } from "../http/session.ts";
import type { AuthDoor } from "./auth.routes.ts";
import * as auth from "./auth.service.ts";
import { forgotPassword } from "./reset.service.ts";

const wrongTries = { max: 5, windowMs: 60_000 };
const forgottenPerClient = { max: 30, windowMs: 60_000 };

export function createAuthDoor(ctx: Context, sessions: Sessions): AuthDoor {
  const budget = createBudget(ctx.clock, wrongTries.max, wrongTries.windowMs);
  const forgotten = createBudget(ctx.clock, forgottenPerClient.max, forgottenPerClient.windowMs);
  const turns = createTurns();
  return {
    login(client, input) {
      const key = `${auth.addressOf(input.email)} ${clientKey(client)}`;
      // One at a time per address and client: a hundred tries at once are still only five.
      return turns(key, async () => {
        const wait = budget.peek(key);
        if (wait > 0) {
          ctx.metrics.logins.inc({ outcome: "limited" });
          throw tooMany(wait);
        }
        const opened = await auth.login(ctx, input).catch((error: unknown) => {
          if (error instanceof AppError && error.code === 106) budget.take(key);
          throw error;
        });
        budget.reset(key);
        const actor = await sessions.byToken(opened.token);
        if (!actor) throw new AppError(106);
        return { ...opened, user: await auth.sessionUser(ctx, actor) };
      });
    },
    async forgotPassword(client, input) {
      const wait = forgotten.take(clientKey(client));
      if (wait > 0) throw tooMany(wait);
      await forgotPassword(ctx, input);
    },
    async admit(token) {
      const sessionId = await auth.redeemTicket(ctx, token);
      return sessionId === null ? sessions.byToken(token) : sessions.byId(sessionId);
    },
    logout: (actor) => auth.logout(ctx, actor.sessionId),
    presenceChanged(accountId) {
      auth
        .notePresence(ctx, accountId)
        .catch((error: unknown) => ctx.log.warn({ err: error }, "presence was not noted"));
    },
  };
}

/** Work under the same key runs one after the other. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = mine.catch(() => undefined);
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}
