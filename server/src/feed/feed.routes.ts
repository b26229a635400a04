// Maps feed calls to use cases, and implements HTTP caching and formats of the feed.
import * as calls from "@psp/contract/feed/feed.api.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { type Binder, responseSent, type ResponseSent } from "../http/bind.ts";
import { tooManyRequests } from "../kit/app-error.ts";
import { createRateLimit } from "../kit/limits/rate-limit.ts";
import * as tokens from "./feed-token.service.ts";
import {
  createFeedGenerator,
  type FeedFormat,
  feedFormats,
  type SerializedFeed,
  cacheLifetimeS,
} from "./feed.service.ts";

const maxPerMinute = 60;
const minuteMs = 60_000;

export function feedRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.getFeedToken, (caller) => tokens.getFeedToken(ctx, caller));
  bind.session(calls.createFeedToken, (caller) => tokens.createFeedToken(ctx, caller));
  bind.session(calls.endFeedToken, (caller) => tokens.revokeFeedToken(ctx, caller));

  const feedOf = createFeedGenerator(ctx);
  /** Limits polls per account. Requests with an invalid token are not counted. */
  const polls = createRateLimit(ctx.clock, maxPerMinute, minuteMs);
  const requireAccount = (_: null, { id }: { id: string }, request: FastifyRequest) =>
    tokens.requireFeedAccount(ctx, id, tokenOf(request));
  bind.open(
    calls.getVehiclePositions,
    async (_, { params, query }, { request, reply }) => {
      const account = await requireAccount(null, params, request);
      const waitS = polls.take(account.id);
      if (waitS > 0) throw tooManyRequests(waitS);
      const format = query.format ?? acceptedFormat(request.headers.accept);
      return sendFeed(request, reply, format, await feedOf(account, format));
    },
    requireAccount,
  );
}

/** Also accepts the token in the URL, because many feed readers can't set headers. */
function tokenOf({ headers, query }: FastifyRequest): string | null {
  if (headers.authorization !== undefined) return /^Bearer ([\w-]{1,200})$/i.exec(headers.authorization)?.[1] ?? null;
  const { token } = query as { token?: unknown };
  return typeof token === "string" ? token : null;
}

/** Returns JSON only if protocol buffers are not accepted, because JavaScript clients accept JSON and everything else by default. */
function acceptedFormat(accept = ""): FeedFormat {
  const types = accept.split(",", 32).map((type) => type.split(";", 1)[0]?.trim().toLowerCase() ?? "");
  const takesBytes = types.some((type) => /^(\*\/\*|application\/(\*|octet-stream|.*protobuf))$/.test(type));
  return types.includes("application/json") && !takesBytes ? "json" : "protobuf";
}

/** Responds 200, or 304 if the client already has this version. */
function sendFeed(
  request: FastifyRequest,
  reply: FastifyReply,
  format: FeedFormat,
  form: SerializedFeed,
): ResponseSent {
  const { bytes, tag, madeMs } = form;
  void reply.headers({
    etag: tag,
    "last-modified": new Date(madeMs).toUTCString(),
    "cache-control": `private, max-age=${cacheLifetimeS}`,
    vary: [reply.getHeader("vary"), "Accept, Authorization"].filter(Boolean).join(", "),
  });
  if (isKnown(request, tag, madeMs)) void reply.code(304).send();
  else void reply.type(feedFormats[format].type).send(bytes);
  return responseSent;
}

function isKnown({ headers }: FastifyRequest, tag: string, madeMs: number): boolean {
  const tags = headers["if-none-match"];
  // An ETag is exact and takes precedence over the time (RFC 9110 §13.1.3).
  if (tags !== undefined)
    return tags.trim() === "*" || tags.split(",", 32).some((one) => one.trim().replace(/^W\//, "") === tag);
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return !Number.isNaN(since) && Math.floor(madeMs / 1000) * 1000 <= since;
}
