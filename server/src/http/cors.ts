// CORS for the configured origins (ADR 0012).
import type { FastifyInstance } from "fastify";
import { liveCursorHeader } from "@psp/contract/live/channel.ts";
import type { Config } from "../config.ts";

const methods = "GET, POST, PUT, DELETE";
const allowedHeaders = "authorization, content-type, idempotency-key, if-match, range";
const exposedHeaders = `content-disposition, content-range, retry-after, x-request-id, x-version, ${liveCursorHeader}`;
const maxAgeS = 600;

/** Answers preflight requests, and adds CORS headers to the responses of the API and the data service. */
export function enableCors(app: FastifyInstance, { corsOrigins, publicUrl }: Config): void {
  if (corsOrigins.size === 0) return;
  const own = new URL(publicUrl).origin;
  app.addHook("onRequest", async (request, reply) => {
    // A console whose API is on another origin (API_ROOT) calls /health.
    const isHealth = request.url === "/health" && corsOrigins.has(own);
    if (!isHealth && !/^\/(api|data)\//.test(request.url)) return;
    reply.header("vary", "Origin");
    const { origin } = request.headers;
    if (origin === undefined || !corsOrigins.has(origin) || (isHealth && origin !== own)) return;
    reply.headers({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": exposedHeaders,
    });
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return;
    return reply
      .code(204)
      .headers({
        "access-control-allow-methods": methods,
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": String(maxAgeS),
      })
      .send();
  });
}
