// Lets pages of the configured origins call from a browser and read the answers; no one else learns anything (ADR 0012).
import type { FastifyInstance } from "fastify";
import { sinceHeader } from "@psp/contract/live/channel.ts";
import type { Config } from "../config.ts";

const methods = "GET, POST, PUT, DELETE";
const allowedHeaders = "authorization, content-type, idempotency-key, if-match, range";
const shownHeaders = `content-disposition, content-range, retry-after, x-request-id, x-version, ${sinceHeader}`;
/** How long a browser may remember that it was allowed to ask, in seconds. */
const rememberedS = 600;

/** Answers the preflight request that browsers send before a call, and marks the answers that a foreign page may read. */
export function answerForeignPages(app: FastifyInstance, { corsOrigins, publicUrl }: Config): void {
  if (corsOrigins.size === 0) return;
  const own = new URL(publicUrl).origin;
  app.addHook("onRequest", async (request, reply) => {
    // Whether the service works is asked by the console alone, where its calls go to another origin (API_ROOT).
    const isHealth = request.url === "/health" && corsOrigins.has(own);
    if (!isHealth && !/^\/(api|data)\//.test(request.url)) return;
    // One address answers differently to different pages: no cache may mix them up.
    reply.header("vary", "Origin");
    const { origin } = request.headers;
    if (origin === undefined || !corsOrigins.has(origin) || (isHealth && origin !== own)) return;
    reply.headers({
      "access-control-allow-origin": origin,
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": shownHeaders,
    });
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return;
    return reply
      .code(204)
      .headers({
        "access-control-allow-methods": methods,
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": String(rememberedS),
      })
      .send();
  });
}
