// Sessions at HTTP: the token of a request, as header, cookie or parameter, and which pages may call with the cookie
// (ADR 0004).
import "@fastify/cookie";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import { isDatabaseError } from "../db/database.ts";
import { AppError } from "../kit/app-error.ts";
import type { SessionActor } from "../kit/caller.ts";
import { isTrustedOrigin } from "../kit/origin.ts";

/**
 * A cookie's name in this installation. Over HTTPS it is one that no other host can set: browsers take the prefix only from
 * the host itself, with `Secure`, `Path=/` and without `Domain` (RFC 6265bis 4.1.3.2).
 */
export const hostCookie = ({ publicUrl }: Pick<Config, "publicUrl">, name: string): string =>
  publicUrl.startsWith("https:") ? `__Host-${name}` : name;

/** The session's cookie; one with the plain name means nothing over HTTPS. */
export const sessionCookieName = (config: Pick<Config, "publicUrl">): string => hostCookie(config, "psp_session");

/** The actor of a token, or null. */
export type Identify = (token: string) => Promise<SessionActor | null>;

/** The actor of a request by bearer token or cookie; throws 106. A changing call by cookie needs our own Origin. */
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

/** A caller whose rights can't be read may neither be let in nor be informed that the session is over. */
function failedCheck(error: unknown): never {
  if (!isDatabaseError(error)) throw error;
  throw new AppError(errorCode.permissionCheckFailed, undefined, { headers: { "retry-after": "2" }, cause: error });
}

/** The data service takes the token as a parameter, too: spreadsheets can send nothing else (docs/rules/api.md#credentials-of-calls). */
function queryToken(request: FastifyRequest): string | undefined {
  const { token } = request.query as { token?: unknown };
  return request.url.startsWith("/data/") && typeof token === "string" ? token : undefined;
}

/** A changing call that is carried by the cookie must come from one of our own pages (403/106 otherwise). */
export function requireOwnOrigin(ctx: Context, request: FastifyRequest): void {
  if (isTrustedOrigin(ctx.config, request.headers.origin, request.socket.localPort)) return;
  const { publicUrl } = ctx.config;
  const reason = `This console is set up for ${publicUrl}. Open it there.`;
  throw new AppError(errorCode.unauthorized, { reason, publicUrl }, { status: 403 });
}
