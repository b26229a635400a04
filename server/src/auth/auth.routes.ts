// Sign-in calls to use cases, and the cookies, which exist on this side only.
import * as calls from "@psp/contract/auth/auth.api.ts";
import { type Evaluation, type PasswordToEvaluate, type SessionUser, sessionLimits } from "@psp/contract/auth/auth.ts";
import { sinceHeader } from "@psp/contract/live/channel.ts";
import "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { CursorFor } from "../http/console.ts";
import { hostCookie, requireOwnOrigin, sessionCookieName } from "../http/session.ts";
import { createKeyedQueue } from "../kit/limits/keyed-queue.ts";
import type { SocketGuard } from "../live/socket.ts";
import * as auth from "./auth.service.ts";
import * as reset from "./reset.service.ts";

/** Signing in with its limits, and the live socket's guard. */
export type AuthGuard = SocketGuard & {
  /** Throws 106 for anything wrong, 429 when this address was tried too often by this client. */
  login(
    client: string,
    input: auth.LoginInput,
  ): Promise<{ token: string; browser: string; expiresAt: Date; user: SessionUser }>;
  /** The same limits for what opens no session: `then` runs if the password is right, in a transaction that holds the login. */
  whenProved<T>(
    client: string,
    input: { email: string; password: string; requestId: string },
    then: auth.AfterProof<T>,
  ): Promise<T>;
  /** Throws 429 when this client asked too often. */
  evaluatePassword(client: string, input: PasswordToEvaluate): Evaluation;
  /** Answers alike for any address; throws 429 when this client asked too often. */
  forgotPassword(client: string, input: Parameters<typeof reset.forgotPassword>[1]): Promise<void>;
};

const browserMaxAgeS = 400 * 86_400;

export function authRoutes(bind: Binder, ctx: Context, guard: AuthGuard, cursorFor: CursorFor): void {
  const secure = ctx.config.publicUrl.startsWith("https:");
  const sessionCookie = sessionCookieName(ctx.config);
  // A host that could set this one would know a browser that the login takes for its own.
  const browserCookie = hostCookie(ctx.config, "psp_browser");
  const setCookie = (reply: FastifyReply, name: string, value: string, maxAge: number) =>
    reply.setCookie(name, value, { httpOnly: true, sameSite: "lax", secure, path: "/", maxAge });

  const joinable = (request: FastifyRequest, reply: FastifyReply, accountId: string) => {
    const cursor = cursorFor(request, accountId);
    if (cursor !== null) reply.header(sinceHeader, cursor);
  };

  bind.open(calls.login, async (_, { body }, { request, reply }) => {
    // No one is signed in by a foreign page; scripts send no Origin.
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
    return auth.sessionUser(ctx, caller);
  });
  bind.session(calls.createTicket, (caller) => auth.issueTicket(ctx, caller));
  bind.open(calls.evaluatePassword, async (_, { body }, { request }) => guard.evaluatePassword(request.ip, body));
  bind.open(calls.forgotPassword, async (_, { body }, { request }) => {
    await guard.forgotPassword(request.ip, { ...body, requestId: request.id });
    return {};
  });
  // One at a time for each link: it works once, and only the password that it sets costs a hash.
  const byLink = createKeyedQueue();
  bind.open(calls.resetPassword, async (_, { query: { token }, body }, { request }) => {
    await byLink(token, () => reset.resetPassword(ctx, { token, password: body.password, requestId: request.id }));
    return {};
  });
}
