// Authentication of HTTP requests by bearer token, cookie or parameter, and CSRF protection for the cookie (ADR 0004).
import "@fastify/cookie";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import { isDatabaseError } from "../db/database.ts";
import { AppError } from "../kit/app-error.ts";
import type { SessionActor } from "../kit/caller.ts";
import { isTrustedOrigin } from "../kit/origin.ts";

/** Adds the prefix `__Host-` over HTTPS, because browsers accept such cookies only from this host (RFC 6265bis 4.1.3.2). */
export const hostCookieName = ({ publicUrl }: Pick<Config, "publicUrl">, name: string): string =>
  publicUrl.startsWith("https:") ? `__Host-${name}` : name;

/** Over HTTPS, a cookie without the prefix is ignored. */
export const sessionCookieName = (config: Pick<Config, "publicUrl">): string => hostCookieName(config, "psp_session");

export type Identify = (token: string) => Promise<SessionActor | null>;

/** Throws 106 without a session. A changing call with the cookie needs a trusted `Origin`. */
export type Authenticate = (request: FastifyRequest) => Promise<SessionActor>;

export function createAuthenticate(ctx: Context, identify: Identify): Authenticate {
  return async (request) => {
    const bearer = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.authorization ?? "")?.[1] ?? queryToken(request);
    const cookie = request.cookies[sessionCookieName(ctx.config)];
    if (!bearer && cookie && request.method !== "GET" && request.method !== "HEAD") requireOwnOrigin(ctx, request);
    const token = bearer ?? (request.headers.authorization ? undefined : cookie);
    const actor = token ? await identify(token).catch(failedCheck) : null;
    if (!actor) throw new AppError(errorCode.unauthorized);
    return actor;
  };
}

/** Responds 503 instead of 106 while the database is unavailable, because the session may still be valid. */
function failedCheck(error: unknown): never {
  if (!isDatabaseError(error)) throw error;
  throw new AppError(errorCode.permissionCheckFailed, undefined, { headers: { "retry-after": "2" }, cause: error });
}

/** The data service accepts the token as a parameter, because spreadsheets can't set headers (docs/rules/api.md#credentials-of-calls). */
function queryToken(request: FastifyRequest): string | undefined {
  const { token } = request.query as { token?: unknown };
  return request.url.startsWith("/data/") && typeof token === "string" ? token : undefined;
}

/** CSRF protection: throws 106 with status 403 for pages of other origins. */
export function requireOwnOrigin(ctx: Context, request: FastifyRequest): void {
  if (isTrustedOrigin(ctx.config, request.headers.origin, request.socket.localPort)) return;
  const { publicUrl } = ctx.config;
  const reason = `This console is set up for ${publicUrl}. Open it there.`;
  throw new AppError(errorCode.unauthorized, { reason, publicUrl }, { status: 403 });
}
