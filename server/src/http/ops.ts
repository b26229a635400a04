// Endpoints for operators and tests: health, metrics, test clock, mails of the demo (docs/rules/start-and-configuration.md#health).
import { timingSafeEqual } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { mac } from "@psp/contract/kit/ids.ts";
import { z } from "zod";
import { AppError } from "../kit/app-error.ts";
import { isLoopback, loopbackNames } from "../config.ts";
import type { Context } from "../context.ts";
import { hashToken } from "../kit/tokens.ts";
import { isResponding } from "../db/database.ts";
import { createSingleFlight } from "../kit/limits/single-flight.ts";
import { bodyOf, readPart } from "./bind.ts";

const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };

export type Health = { ready: boolean };

export function opsRoutes(app: FastifyInstance, ctx: Context, health: Health, runJobs: () => Promise<void>): void {
  const checkDatabase = createSingleFlight<boolean>();
  app.get("/health", async (_request, reply) => {
    const up = health.ready && (await checkDatabase("database", () => isResponding(ctx.db)));
    return (
      reply
        .code(up ? 200 : 503)
        .header("cache-control", "no-store")
        // The version is a header, because monitors compare the whole body.
        .header("x-version", version)
        .send({ status: up ? "ok" : "starting" })
    );
  });
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

/** Compares digests, in constant time. */
function hasToken({ headers }: FastifyRequest, token: string | null): boolean {
  if (token === null) return false;
  return timingSafeEqual(hashToken(headers.authorization ?? ""), hashToken(`Bearer ${token}`));
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
