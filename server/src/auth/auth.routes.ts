// Maps sign-in calls to use cases, and handles their cookies.
import * as calls from "@psp/contract/auth/auth.api.ts";
import {
  type PasswordEvaluationResult,
  type PasswordToEvaluate,
  type SessionUser,
  sessionLimits,
} from "@psp/contract/auth/auth.ts";
import { liveCursorHeader } from "@psp/contract/live/channel.ts";
import "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { FindCursor } from "../http/console.ts";
import { hostCookieName, requireOwnOrigin, sessionCookieName } from "../http/session.ts";
import { createKeyedQueue } from "../kit/limits/keyed-queue.ts";
import type { SocketGuard } from "../live/socket.ts";
import * as auth from "./auth.service.ts";
import * as reset from "./reset.service.ts";

export type AuthGuard = SocketGuard & {
  /** Throws 106 for any failure, 429 beyond the limit of this email address and client. */
  login(
    client: string,
    input: auth.LoginInput,
  ): Promise<{ token: string; browser: string; expiresAt: Date; user: SessionUser }>;
  /** Same limits as `login`, but opens no session. If the password is right, runs `then` in a transaction that locks the login. */
  withVerifiedPassword<T>(
    client: string,
    input: { email: string; password: string; requestId: string },
    then: auth.AfterVerification<T>,
  ): Promise<T>;
  /** Throws 429 beyond the client's limit. */
  evaluatePassword(client: string, input: PasswordToEvaluate): PasswordEvaluationResult;
  /** Responds the same for any address. Throws 429 beyond the client's limit. */
  forgotPassword(client: string, input: Parameters<typeof reset.forgotPassword>[1]): Promise<void>;
};

const browserMaxAgeS = 400 * 86_400;

export function authRoutes(bind: Binder, ctx: Context, guard: AuthGuard, cursorFor: FindCursor): void {
  const secure = ctx.config.publicUrl.startsWith("https:");
  const sessionCookie = sessionCookieName(ctx.config);
  // The host prefix keeps other hosts from setting the cookie. Otherwise they could plant a value that makes an attacker's
  // browser a known one.
  const browserCookie = hostCookieName(ctx.config, "psp_browser");
  const setCookie = (reply: FastifyReply, name: string, value: string, maxAge: number) =>
    reply.setCookie(name, value, { httpOnly: true, sameSite: "lax", secure, path: "/", maxAge });

  const joinable = (request: FastifyRequest, reply: FastifyReply, accountId: string) => {
    const cursor = cursorFor(request, accountId);
    if (cursor !== null) reply.header(liveCursorHeader, cursor);
  };

  bind.open(calls.login, async (_, { body }, { request, reply }) => {
    // Pages of other origins can't sign anyone in. Scripts send no Origin.
    if (request.headers.origin !== undefined) requireOwnOrigin(ctx, request);
    const { token, browser, expiresAt, user } = await guard.login(request.ip, {
      ...body,
      browser: request.cookies[browserCookie] ?? null,
      userAgent: request.headers["user-agent"] ?? null,
      requestId: request.id,
    });
    setCookie(reply, sessionCookie, token, sessionLimits.absoluteMs / 1000);
    setCookie(reply, browserCookie, browser, browserMaxAgeS);
    joinable(request, reply, user._id);
    return { token, expiresAt: expiresAt.toISOString(), user };
  });
  bind.session(calls.getSessionUser, (caller, _, { request, reply }) => {
    joinable(request, reply, caller.id);
    return auth.getSessionUser(ctx, caller);
  });
  bind.session(calls.createTicket, (caller) => auth.issueTicket(ctx, caller));
  bind.open(calls.evaluatePassword, async (_, { body }, { request }) => guard.evaluatePassword(request.ip, body));
  bind.open(calls.forgotPassword, async (_, { body }, { request }) => {
    await guard.forgotPassword(request.ip, { ...body, requestId: request.id });
    return {};
  });
  // Serialized per link: of concurrent uses, only one succeeds and only one hashes the password.
  const byLink = createKeyedQueue();
  bind.open(calls.resetPassword, async (_, { query: { token }, body }, { request }) => {
    await byLink(token, () => reset.resetPassword(ctx, { token, password: body.password, requestId: request.id }));
    return {};
  });
}
