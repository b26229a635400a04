// Endpoints for operators and tests: health, metrics, test clock, mails of the demo (docs/rules/start-and-configuration.md#health).
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { mac } from "@psp/contract/kit/ids.ts";
import { z } from "zod";
import { AppError } from "../kit/app-error.ts";
import { isLoopback, loopbackNames } from "../config.ts";
import type { Context } from "../context.ts";
import { isSameToken } from "../kit/tokens.ts";
import { isResponding } from "../db/database.ts";
import { createSingleFlight } from "../kit/limits/single-flight.ts";
import { bodyOf, readPart } from "./bind.ts";
import { toErrorBody } from "./error-reply.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

export type Health = {
  phase: "starting" | "running" | "stopping";
  /** What the parts of the process still lack. */
  findMissing(): string[];
};

/** Monitors give up after a few seconds, and must get an answer also while the database hangs. */
const databaseWaitMs = 2000;
// The version is a header, because monitors compare the whole body.
const healthHeaders = { "cache-control": "no-store", "x-version": version };

/** Answers until the application is complete: the process lives, but is not ready. */
export function answerEarly(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url?.split("?")[0] ?? "";
  const isLive = path === "/health/live";
  const isHealth = isLive || path === "/health" || path === "/health/ready";
  const unavailable = new AppError(errorCode.databaseError, undefined, { status: 503 });
  response.shouldKeepAlive = false;
  response
    .writeHead(isLive ? 200 : 503, {
      ...healthHeaders,
      "content-type": isHealth ? "application/json; charset=utf-8" : "application/problem+json",
      ...(isHealth ? {} : { "retry-after": "2" }),
    })
    .end(JSON.stringify(isLive ? { status: "ok" } : isHealth ? { status: "starting" } : toErrorBody(unavailable, "")));
}

function healthRoutes(app: FastifyInstance, ctx: Context, health: Health): void {
  const askDatabase = createSingleFlight<boolean>();
  let logged = "";

  /** The bound is per request, so that a hanging connection is tried once at a time. */
  function databaseAnswers(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), databaseWaitMs).unref();
    return Promise.race([askDatabase("database", () => isResponding(ctx.db, databaseWaitMs)), late.promise]).finally(
      () => clearTimeout(timer),
    );
  }
  async function findObstacles(): Promise<string[]> {
    if (health.phase !== "running") return [health.phase];
    const missing = health.findMissing();
    return (await databaseAnswers()) ? missing : ["the database does not answer", ...missing];
  }
  async function ready(_request: FastifyRequest, reply: FastifyReply) {
    const obstacles = await findObstacles();
    if (health.phase === "running" && obstacles.join() !== logged) {
      logged = obstacles.join();
      if (obstacles.length > 0) ctx.log.warn({ obstacles }, "the process is not ready");
      else ctx.log.info("the process is ready");
    }
    const isReady = obstacles.length === 0;
    const status = isReady ? "ok" : health.phase === "running" ? "unavailable" : health.phase;
    return reply
      .code(isReady ? 200 : 503)
      .headers(healthHeaders)
      .send({ status });
  }
  app.get("/health", ready);
  app.get("/health/ready", ready);
  app.get("/health/live", async (_request, reply) => reply.headers(healthHeaders).send({ status: "ok" }));
}

export function opsRoutes(app: FastifyInstance, ctx: Context, health: Health, runJobs: () => Promise<void>): void {
  healthRoutes(app, ctx, health);
  app.get("/metrics", async (request, reply) => {
    if (!isFromOwnMachine(request) && !hasToken(request, ctx.config.metricsToken))
      throw new AppError(errorCode.unauthorized);
    return reply.type(ctx.metrics.registry.contentType).send(await ctx.metrics.registry.metrics());
  });
  app.register(async (dev) => devRoutes(dev, ctx, runJobs));
}

/** Headers set by proxies. Behind a proxy, the socket's address is not the client's. */
const proxyHeaders = /^(forwarded|via|x-forwarded-.+|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/**
 * Whether a request comes from a program on this machine (ADR 0004). Checks the address of the socket, regardless of TRUST_PROXY. Also
 * requires a loopback host name, to refuse DNS rebinding and proxies that set none of `proxyHeaders`.
 */
function isFromOwnMachine({ socket, headers }: FastifyRequest): boolean {
  if (!isLoopback(socket.remoteAddress ?? "")) return false;
  if (Object.keys(headers).some((name) => proxyHeaders.test(name))) return false;
  // Ignores the port, which may be mapped.
  const name = headers.host?.toLowerCase().replace(/:\d*$/, "") ?? "";
  return loopbackNames.includes(name);
}

function hasToken({ headers }: FastifyRequest, token: string | null): boolean {
  return token !== null && isSameToken(headers.authorization ?? "", `Bearer ${token}`);
}

/** Moves the clock, controls simulated sensors, and shows mails with their links. Requests from other machines get a 404. */
function devRoutes(app: FastifyInstance, ctx: Context, runJobs: () => Promise<void>): void {
  app.addHook("onRequest", async (request) => {
    if (!isFromOwnMachine(request)) throw new AppError(errorCode.notFound);
  });
  if (ctx.config.testClock) {
    const body = z.strictObject({
      now: z.union([z.int(), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))]),
    });
    app.get("/dev/clock", async () => ({ now: ctx.clock.date().toISOString() }));
    app.put("/dev/clock", async (request) => {
      const { now } = readPart(body, bodyOf(request), "body") as z.output<typeof body>;
      ctx.clock.moveTo(now);
      await runJobs();
      return { now: ctx.clock.date().toISOString() };
    });
  }
  if (ctx.config.demo.on) walkRoute(app, ctx);
  if (ctx.config.demo.on) faultRoute(app, ctx);
  if (ctx.config.demo.on && !ctx.config.mail.url) mailRoutes(app, join(ctx.config.dataDir, "mail"));
}

/** Lets people pass a simulated sensor, for trying a display manually. */
function walkRoute(app: FastifyInstance, ctx: Context): void {
  const people = z.int().min(0).max(100).default(0);
  const body = z.strictObject({ sensor: mac, in: people, out: people });
  app.post("/dev/walk", async (request) => {
    const { sensor: sensorId, ...passes } = readPart(body, bodyOf(request), "body") as z.output<typeof body>;
    ctx.bus.send({ name: "demoWalk", event: { sensorId, ...passes } });
    return {};
  });
}

/** Starts or ends a fault of a simulated sensor, for trying monitoring manually: `{sensor, fault: "covered-lens@0+30"}`. */
function faultRoute(app: FastifyInstance, ctx: Context): void {
  const form = /^[a-z-]{1,40}(@-?\d{1,6}(\+\d{1,6})?)?$/;
  const body = z.strictObject({ sensor: mac, fault: z.string().max(60).regex(form).nullable() });
  app.post("/dev/fault", async (request) => {
    const { sensor: sensorId, fault } = readPart(body, bodyOf(request), "body") as z.output<typeof body>;
    ctx.bus.send({ name: "demoFault", event: { sensorId, fault } });
    return {};
  });
}

function mailRoutes(app: FastifyInstance, folder: string): void {
  const escape = (text: string) => text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
  app.get("/dev/mail", async (request, reply) => {
    const files = (await readdir(folder).catch(() => []))
      .filter((name) => name.endsWith(".eml"))
      .toSorted()
      .toReversed();
    if (request.headers.accept?.includes("application/json")) return { mails: files.slice(0, 500) };
    const items = files
      .slice(0, 500)
      .map((name) => `<li><a href="/dev/mail/${encodeURIComponent(name)}">${escape(name)}</a></li>`);
    return reply
      .type("text/html; charset=utf-8")
      .send(
        `<!doctype html><html lang="en"><title>Mails of the demo</title><h1>Mails of the demo</h1><ul>${items.join("")}</ul></html>`,
      );
  });
  app.get<{ Params: { name: string } }>("/dev/mail/:name", async (request, reply) => {
    const { name } = request.params;
    if (!/^[\w.@+-]+\.eml$/.test(name)) throw new AppError(errorCode.notFound);
    const text = await readFile(join(folder, name), "utf8").catch(() => null);
    if (text === null) throw new AppError(errorCode.notFound);
    return reply.type("text/plain; charset=utf-8").send(text);
  });
}
