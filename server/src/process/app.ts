// Builds the HTTP application: plugins, body parsing, errors, and all route files.
import fastifyCookie from "@fastify/cookie";
import fastifyHelmet from "@fastify/helmet";
import { calls } from "@psp/contract/api.ts";
import { errorCode } from "@psp/contract/errors.ts";
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from "fastify";
import { AppError } from "../kit/app-error.ts";
import { createCallAudit } from "../audit/trace.hook.ts";
import type { Config } from "../config.ts";
import type { Context } from "../context.ts";
import { nouns, type NounDependencies } from "./nouns.ts";
import { type Binder, createBinder, malformedBody } from "../http/bind.ts";
import { type ConsolePage, consoleRoutes, type FindCursor, readConsole } from "../http/console.ts";
import { compressResponses } from "../http/compress.ts";
import { enableCors } from "../http/cors.ts";
import { docsRoutes } from "../http/docs.ts";
import { refuseUnreadable, sendError } from "../http/error-reply.ts";
import { createHeavyReads } from "../http/heavy-reads.ts";
import { type Health, opsRoutes } from "../http/ops.ts";
import { createRequestIdGenerator } from "../http/request-ids.ts";
import { createAuthenticate } from "../http/session.ts";
import type { SessionService } from "../credential/session.service.ts";
import type { LongCalls } from "../http/long-calls.ts";
import { traceCalls } from "./trace-calls.ts";
import type { FrontHandler, FrontServer } from "../proxy/front-server.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Number of the latest change when the request arrived; null without a live channel in this process. */
    latestChange: number | null;
  }
}

export type AppDependencies = Omit<NounDependencies, "callAudit" | "heavy" | "cursorFor"> & {
  sessions: SessionService;
  longCalls: LongCalls;
  health: Health;
  runJobs: () => Promise<void>;
  latestChange: () => number | null;
  /** Returns a cursor to join the live channel at this number; null if this process has no live channel. */
  liveCursor: (accountId: string, at: number) => string | null;
};

const bodyLimit = 1024 * 1024;
const bodyTimeoutMs = 30_000;

/** The application does not listen yet. */
export async function buildApp(
  ctx: Context,
  parts: AppDependencies,
  front: FrontServer,
  proxy: FrontHandler,
): Promise<{ app: FastifyInstance; bind: Binder }> {
  const nextId = createRequestIdGenerator();
  const logger: FastifyBaseLogger = ctx.log;
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    serverFactory: (listener) => front.attach(proxy, listener),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    trustProxy: proxiesOf(ctx.config),
    genReqId: nextId,
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, nextId()),
    // Unparsable or oversized URLs get a 404.
    frameworkErrors: (_error, request, reply) =>
      void sendError(new AppError(errorCode.notFound), request, reply, ctx.log),
    // Disabled: boundBodies limits bodies, headersTimeout limits headers.
    requestTimeout: 0,
    forceCloseConnections: "idle",
    // Requests on open connections are answered until the end.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300, caseSensitive: true, ignoreTrailingSlash: false },
  });
  // Set here, because Fastify ignores its option for a server that it did not create. Longer than load balancers keep idle connections.
  app.server.keepAliveTimeout = 65_000;
  app.server.headersTimeout = 20_000;
  enableCors(app, ctx.config);
  await app.register(fastifyCookie);
  boundBodies(app, new Set(calls.filter(({ upload }) => upload !== undefined).map(({ name }) => name)));
  readBodies(app);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, ctx.log));
  app.setNotFoundHandler((request, reply) => sendError(new AppError(errorCode.notFound), request, reply, ctx.log));
  traceCalls(app, ctx.tracing);
  app.addHook("onResponse", async (request, reply) => {
    const call = (request.routeOptions.config as { call?: string }).call ?? "other";
    ctx.metrics.requests.observe({ call, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
  });
  app.decorateRequest("latestChange", null);
  // Stored before any data is read, so that a page that joins the live channel at this number misses no later change (ADR 0013).
  app.addHook("onRequest", async (request) => void (request.latestChange = parts.latestChange()));
  const cursorFor = ({ latestChange }: FastifyRequest, accountId: string) =>
    latestChange === null ? null : parts.liveCursor(accountId, latestChange);
  app.addHook("onSend", async (request, reply) => {
    reply.headers({
      "x-request-id": request.id,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
  });
  compressResponses(app, ctx.metrics);

  app.addHook("preClose", async () => {
    // Closes connections as soon as they are idle, because they would delay the shutdown.
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50).unref();
    app.server.once("close", () => clearInterval(sweep));
  });

  const callAudit = createCallAudit(ctx);
  app.addHook("onClose", () => callAudit.settled());
  const authenticate = createAuthenticate(ctx, parts.sessions.byToken);
  const bind = createBinder(app, authenticate, parts.longCalls, { observer: callAudit, clock: ctx.clock });
  opsRoutes(app, ctx, parts.health, parts.runJobs);
  const { parts: started } = ctx.config;
  const nounParts: NounDependencies = { ...parts, cursorFor, callAudit, heavy: createHeavyReads(ctx) };
  if (started.has("api") || started.has("gateway"))
    for (const { deviceRoutes } of nouns) deviceRoutes?.(app, ctx, nounParts);
  if (started.has("api")) {
    for (const { routes } of nouns) routes?.(bind, ctx, nounParts);
    await pageRoutes(app, ctx, parts.sessions, cursorFor);
  }
  return { app, bind };
}

async function pageRoutes(
  app: FastifyInstance,
  ctx: Context,
  sessions: SessionService,
  cursorFor: FindCursor,
): Promise<void> {
  const page = await readConsole();
  await app.register(async (pages) => {
    await protectPages(pages, ctx, page);
    docsRoutes(pages, ctx);
    await consoleRoutes(pages, ctx, sessions.byToken, page, cursorFor);
  });
}

/** Adds the full set of security headers to pages. JSON responses do not need them, because browsers run nothing in them. */
async function protectPages(pages: FastifyInstance, ctx: Context, page: ConsolePage): Promise<void> {
  const { tileUrl } = ctx.config.map;
  // Map tiles are loaded by fetch.
  const tileHosts = tileUrl === null ? [] : [new URL(tileUrl).origin];
  const { roots } = ctx.config;
  const callHosts = [...new Set([roots.api, roots.data].flatMap((root) => hostsOf(root)))];
  await pages.register(fastifyHelmet, {
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", "'wasm-unsafe-eval'", ...page.scriptHashes],
        // Emotion writes its style sheets at run time.
        styleSrc: ["'self'", "'unsafe-inline'"],
        // Displays may show logos from any host; the server never fetches them.
        imgSrc: ["'self'", "data:", "blob:", "https:", ...tileHosts],
        // Includes the live socket: browsers treat ws: of the same host and port as 'self'.
        connectSrc: ["'self'", ...callHosts, ...tileHosts],
        workerSrc: ["'self'", "blob:"],
        frameAncestors: ["'none'"],
        upgradeInsecureRequests: null,
      },
    },
    strictTransportSecurity: ctx.config.publicUrl.startsWith("https:"),
    referrerPolicy: { policy: "no-referrer" },
  });
}

/** Returns the origins of calls and sockets at `root`; none if `root` is on the console's own origin. */
function hostsOf(root: string | null): string[] {
  if (root === null || !URL.canParse(root)) return [];
  const { origin } = new URL(root);
  return [origin, origin.replace(/^http/, "ws")];
}

/** Trusted proxies for a client's address: a number of hops, or addresses. */
function proxiesOf({ trustProxy }: Config) {
  return typeof trustProxy === "number" ? (_address: string, hop: number) => hop < trustProxy : (trustProxy ?? false);
}

/** Replaces Fastify's parser, so that 401 and 404 take precedence over errors in the body. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string", bodyLimit }, (_request, text, done) => {
    if (text === "") return done(null, undefined);
    try {
      done(null, JSON.parse(text as string));
    } catch {
      done(null, malformedBody);
    }
  });
}

/**
 * Limits how long a body may take to arrive: half a minute, except for uploads, which have a longer limit. Node has only one limit per
 * server, but a firmware of half a gigabyte takes longer than a form.
 */
function boundBodies(app: FastifyInstance, uploads: ReadonlySet<string>): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    const { socket } = raw;
    const hasBody = raw.headers["content-length"] !== undefined || raw.headers["transfer-encoding"] !== undefined;
    const isUpload = uploads.has((request.routeOptions.config as { call?: string }).call ?? "");
    if (hasBody && isUpload) {
      // After an early refusal, the upload's own limit no longer applies, so the rest of its body gets the limit of half a minute.
      reply.raw.once("finish", () => {
        if (!raw.complete) setTimeout(() => raw.complete || socket.destroy(), bodyTimeoutMs).unref();
      });
    } else if (hasBody) {
      const timer = setTimeout(() => {
        if (raw.complete) return;
        const late = Object.assign(new Error("The body came too slowly"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
        refuseUnreadable(late, socket, request.id);
      }, bodyTimeoutMs).unref();
      raw.once("close", () => clearTimeout(timer));
    }
    done();
  });
}
